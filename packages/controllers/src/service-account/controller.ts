import { namespaces, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"

export interface ServiceAccountOptions {
  /** The accounts that every namespace has. */
  readonly accounts?: readonly string[]
}

/**
 * Gives every active namespace the account `default`, which pods use that name no other.
 * Watches namespaces, and accounts that are deleted; makes what is missing and changes nothing that is there.
 */
export function serviceAccountController({ accounts = ["default"] }: ServiceAccountOptions = {}): Controller {
  return controller("serviceaccount-controller", {
    for: namespaces,
    predicate: (change) => change.type !== "deleted",
    watches: [
      watch(serviceAccounts, "one of its accounts is gone", ({ metadata }) => [metadata.namespace ?? ""], {
        predicate: (change) => change.type === "deleted",
      }),
    ],
    maxConcurrentReconciles: 1,
    observe: (key, read) => observe(key, read, accounts),
    decide: (observed) => decide(observed, accounts),
  })
}
