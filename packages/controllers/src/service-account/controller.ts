import { type Namespace, namespaces, type ServiceAccount, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Controller, controller, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

export interface ServiceAccountOptions {
  /** The accounts that every namespace has. */
  readonly accounts?: readonly string[]
}

/**
 * Creates the account `default` in every active namespace, which pods use by default.
 * Watches namespaces and deleted accounts; creates missing accounts and never changes existing ones.
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

export interface Observed {
  readonly namespace: Namespace
  /** The required accounts that exist. */
  readonly accounts: readonly ServiceAccount[]
}

export function observe(key: string, read: Reader, names: readonly string[]): Observed | undefined {
  const namespace = read.get(namespaces, key)
  if (namespace === undefined) return undefined
  return { namespace, accounts: names.flatMap((name) => read.get(serviceAccounts, `${key}/${name}`) ?? []) }
}

/** Creates missing accounts, except in a terminating namespace. */
export function decide({ namespace, accounts }: Observed, names: readonly string[]): Plan {
  if (namespace.status?.phase !== "Active") return plan().nothing(`the namespace is ${namespace.status?.phase}`)
  const missing = names.filter((name) => !accounts.some(({ metadata }) => metadata.name === name))
  if (missing.length === 0) return plan().nothing(`it has ${names.join(", ")}`)
  const built = plan()
  for (const name of missing) {
    const object: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: namespace.metadata.name } }
    // Another client may have created it.
    built.operation({ do: "create", object, reason: `the namespace has no account ${name}`, tolerate: ["AlreadyExists"] })
  }
  return built
}

export const serviceAccountDescriptor = descriptor({
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  create: () => serviceAccountController(),
})
