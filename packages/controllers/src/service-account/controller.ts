import { type Namespace, namespaces, type ServiceAccount, serviceAccounts } from "@pilothouse/api/core/v1"
import { type Controller, controller, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"

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

export interface Observed {
  readonly namespace: Namespace
  /** Those of the wanted accounts that are there. */
  readonly accounts: readonly ServiceAccount[]
}

export function observe(key: string, read: Reader, names: readonly string[]): Observed | undefined {
  const namespace = read.get(namespaces, key)
  if (namespace === undefined) return undefined
  return { namespace, accounts: names.flatMap((name) => read.get(serviceAccounts, `${key}/${name}`) ?? []) }
}

/** Makes the accounts that are missing. A namespace that goes away takes none. */
export function decide({ namespace, accounts }: Observed, names: readonly string[]): Plan {
  if (namespace.status?.phase !== "Active") return plan().nothing(`the namespace is ${namespace.status?.phase}`)
  const missing = names.filter((name) => !accounts.some(({ metadata }) => metadata.name === name))
  if (missing.length === 0) return plan().nothing(`it has ${names.join(", ")}`)
  const built = plan()
  for (const name of missing) {
    const object: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: namespace.metadata.name } }
    // Somebody else was quicker: all is well.
    built.operation({ do: "create", object, reason: `the namespace has no account ${name}`, tolerate: ["AlreadyExists"] })
  }
  return built
}

export const serviceAccountDescriptor = descriptor({
  name: "serviceaccount-controller",
  aliases: ["serviceaccount"],
  create: () => serviceAccountController(),
})
