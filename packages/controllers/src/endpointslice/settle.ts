import { hasCause, keyOf } from "@pilothouse/api"
import { type Operation, type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { Observed } from "./observe.ts"

/** Tells people why the slices are not what they should be. */
export function settle({ service }: Observed, results: readonly Result[]): Plan {
  const built = plan()
  // A namespace that goes away takes nothing new, and nobody needs to hear it.
  const failed = results.find((result) => result.ok === false && !hasCause(result.error, "NamespaceTerminating"))
  if (failed?.ok !== false) return built
  const why = `${failureOf(failed.operation)} for Service ${keyOf(service)}: ${messageOf(failed.error)}`
  return built.event(
    service,
    "Warning",
    "FailedToUpdateEndpointSlices",
    `Error updating Endpoint Slices for Service ${keyOf(service)}: ${why}`,
  )
}

function failureOf(operation: Operation): string {
  if (!("object" in operation) || operation.do === "create") return "failed to create EndpointSlice"
  return `failed to ${operation.do} ${operation.object.metadata.name} EndpointSlice`
}
