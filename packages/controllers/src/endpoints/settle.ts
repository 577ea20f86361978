import { hasCause } from "@pilothouse/api"
import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { Observed } from "./observe.ts"

/** Tells people why the Endpoints are not what they should be. */
export function settle({ key: { namespace, name } }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const result of results) {
    // A namespace that goes away takes nothing new, and nobody needs to hear it.
    if (result.ok !== false || hasCause(result.error, "NamespaceTerminating")) continue
    const { operation, error } = result
    const why = messageOf(error)
    if (operation.do === "create")
      built.event(
        operation.object,
        "Warning",
        "FailedToCreateEndpoint",
        `Failed to create endpoint for service ${namespace}/${name}: ${why}`,
      )
    if (operation.do === "update")
      built.event(operation.object, "Warning", "FailedToUpdateEndpoint", `Failed to update endpoint ${namespace}/${name}: ${why}`)
  }
  return built
}
