import { type Plan, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { Observed } from "./observe.ts"

/** Tells of a node that could not be deleted. */
export function settle({ node }: Observed, results: readonly Result[]): Plan {
  const failed = results.find((result) => result.ok === false && result.operation.do === "delete")
  if (failed?.ok !== false) return plan()
  const message = `Failed deleting node ${node.metadata.name}: ${messageOf(failed.error)}`
  return plan().event(node, "Warning", "DeletingNodeFailed", message)
}
