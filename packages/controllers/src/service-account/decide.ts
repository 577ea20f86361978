import type { ServiceAccount } from "@pilothouse/api/core/v1"
import { type Plan, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

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
