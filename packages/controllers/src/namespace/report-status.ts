import { deepEqual } from "@pilothouse/api"
import type { Namespace, NamespaceStatus } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"

/** Writes the status where it is not what is there. */
export function reportStatus(built: PlanBuilder, namespace: Namespace, status: NamespaceStatus): void {
  if (deepEqual(status, namespace.status)) return
  const trouble = (status.conditions ?? []).filter((condition) => condition.status === "True").map(({ message }) => message)
  const reason = trouble.join("; ") || "the namespace is being emptied"
  built.operation({ do: "status", object: namespace, status, reason, tolerate: ["NotFound"] })
}
