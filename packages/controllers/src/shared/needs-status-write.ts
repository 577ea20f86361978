import type { Result } from "@pilothouse/runtime"

/**
 * Reports whether operations on objects of these kinds failed and the status was not written: then no event may enqueue the key, and settle has to write it.
 * False when an adoption or a revision failed: what the owner has is not known then, and neither is its status.
 */
export function needsStatusWrite(results: readonly Result[], kinds: readonly string[]): boolean {
  const failed = results.filter(({ ok }) => ok === false)
  const written = results.some(({ operation, ok }) => operation.do === "status" && ok !== "skipped")
  return failed.length > 0 && !written && failed.every(({ operation }) => isAbout(operation, kinds))
}

function isAbout(operation: Result["operation"], kinds: readonly string[]): boolean {
  return "object" in operation && operation.do !== "patch" && kinds.includes(operation.object.kind)
}
