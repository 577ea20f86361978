import { namespaces, pods, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Controller, controller, durationFlag, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"
import { observe, podsBySecret, tokenSecrets } from "./observe.ts"

export interface LegacyTokenCleanerOptions {
  /** --legacy-service-account-token-clean-up-period, in milliseconds. */
  readonly cleanUpPeriod?: number
}

/** The only key: all tokens are checked once a day. */
export const allTokensKey = "tokens"
const defaultPeriod = 365 * 24 * 60 * 60 * 1000

/**
 * Removes the tokens that older clusters created for every service account and that were not used for a year: first they are labelled as
 * invalid since today, and a year later they are deleted. Tokens that a pod mounts or that were created manually stay.
 * Runs once a day; begins when the API server has tracked the use of tokens for as long as a token has to be unused.
 */
export function legacyTokenCleanerController({ cleanUpPeriod = defaultPeriod }: LegacyTokenCleanerOptions = {}): Controller {
  return controller("legacy-serviceaccount-token-cleaner-controller", {
    for: secrets,
    predicate: () => false,
    watches: [
      // The namespace exists when the process starts, or appears shortly after in a new cluster.
      watch(namespaces, "the process began", () => [allTokensKey], {
        predicate: ({ type, object }) => type === "added" && object.metadata.name === "kube-system",
      }),
    ],
    reads: [serviceAccounts, pods],
    indexes: [tokenSecrets, podsBySecret],
    maxConcurrentReconciles: 1,
    observe: (_key, read) => observe(read),
    decide: (observed, { now }) => decide(observed, now, cleanUpPeriod),
  })
}

export const legacyTokenCleanerDescriptor = descriptor({
  name: "legacy-serviceaccount-token-cleaner-controller",
  aliases: ["legacy-service-account-token-cleaner"],
  flags: {
    "legacy-service-account-token-clean-up-period": durationFlag(
      "8760h",
      "how long a token that was made for a service account must be unused before it is invalid, and invalid before it is deleted",
    ),
  },
  create: (set) => legacyTokenCleanerController({ cleanUpPeriod: set["legacy-service-account-token-clean-up-period"] }),
})
