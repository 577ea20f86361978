import { namespaces, pods, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"
import { durationFlag } from "../flag.ts"
import { decide } from "./decide.ts"
import { observe, podsBySecret, tokenSecrets } from "./observe.ts"

export interface LegacyTokenCleanerOptions {
  /** --legacy-service-account-token-clean-up-period, in milliseconds. */
  readonly cleanUpPeriod?: number
}

/** The one key: all tokens are looked at once a day. */
export const everyToken = "tokens"
const defaultPeriod = 365 * 24 * 60 * 60 * 1000

/**
 * Takes away the tokens that older clusters made for every service account, where nobody has used them for a year: first they are labelled as
 * invalid since today, and a year later they are deleted. What a pod mounts stays, and so does every token that somebody made by hand.
 * Looks once a day; begins when the API server has tracked the use of tokens for as long as a token has to be unused.
 */
export function legacyTokenCleanerController({ cleanUpPeriod = defaultPeriod }: LegacyTokenCleanerOptions = {}): Controller {
  return controller("legacy-serviceaccount-token-cleaner-controller", {
    for: secrets,
    predicate: () => false,
    watches: [
      // It is there when the process begins, or comes a moment later, where the cluster is as new as the process.
      watch(namespaces, "the process began", () => [everyToken], {
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
