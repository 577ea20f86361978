import { keyOf } from "@pilothouse/api"
import { type Secret, type ServiceAccount, secrets, serviceAccounts } from "@pilothouse/api/core/v1"
import {
  type Change,
  type Controller,
  controller,
  countFlag,
  defaultLimiter,
  type Reader,
  switchFlag,
  watch,
  withMaxRetries,
} from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide, settle } from "./decide.ts"
import { keyFor, observe, tokensByAccount } from "./observe.ts"
import { isTokenSecret, serviceAccountKey, type TokenSeams } from "./token-secret.ts"

export interface TokensOptions extends TokenSeams {
  readonly concurrentSyncs?: number
  /** Whether every account gets a token Secret of its own, as in clusters before 1.24. */
  readonly everyAccount?: boolean
}

/**
 * Fills Secrets of the type kubernetes.io/service-account-token: token, namespace, CA, and the annotations with their account.
 * Watches those Secrets and ServiceAccounts; deletes the tokens of deleted accounts, and removes a deleted token from the account's
 * list. Optionally creates a token for every account without one. A failing key is dropped after ten attempts until something changes.
 */
export function tokensController({ concurrentSyncs = 5, everyAccount = false, ...seams }: TokensOptions): Controller {
  const accounts = watch(serviceAccounts, "the account changed", (account) => [keyFor("account", keyOf(account))], {
    predicate: (change) => change.type === "added" || change.type === "updated",
  })
  return controller("serviceaccount-token-controller", {
    for: secrets,
    predicate: () => false,
    watches: [
      watch(secrets, "the Secret changed", (secret) => (isTokenSecret(secret) ? [keyFor("secret", keyOf(secret))] : []), {
        predicate: (change) => change.type !== "deleted",
      }),
      watch(secrets, "the Secret is gone", referenceKeys, { predicate: (change) => change.type === "deleted" }),
      watch(serviceAccounts, "the account of the Secret came or went", tokenKeys, { predicate: cameOrWent }),
      // A deleted token is removed from the account's list, and that change enqueues the account.
      ...(everyAccount ? [accounts] : []),
    ],
    indexes: [tokensByAccount],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: (clock) => withMaxRetries(defaultLimiter(clock), 10),
    observe,
    decide: (observed, context) => decide(observed, context, seams),
    settle,
  })
}

function referenceKeys(secret: Secret): readonly string[] {
  return isTokenSecret(secret) ? [keyFor("reference", `${serviceAccountKey(secret)}:${secret.metadata.name}`)] : []
}

function tokenKeys(account: ServiceAccount, read: Reader): readonly string[] {
  return read.byIndex(tokensByAccount, keyOf(account)).map((secret) => keyFor("secret", keyOf(secret)))
}

function cameOrWent(change: Change<ServiceAccount>): boolean {
  return change.type === "updated" ? change.old.metadata.uid !== change.object.metadata.uid : change.type !== "resync"
}

export const tokensDescriptor = descriptor({
  name: "serviceaccount-token-controller",
  aliases: ["serviceaccount-token"],
  flags: {
    "concurrent-serviceaccount-token-syncs": countFlag(5, "token Secrets and accounts looked after at once"),
    "service-account-token-for-every-account": switchFlag(false, "make a token Secret for every account, as clusters before 1.24 had"),
  },
  needs: ["signToken"],
  create: (set, { signToken, rootCa }) => {
    if (signToken === undefined) return []
    const everyAccount = set["service-account-token-for-every-account"]
    return tokensController({ sign: signToken, rootCa, concurrentSyncs: set["concurrent-serviceaccount-token-syncs"], everyAccount })
  },
})
