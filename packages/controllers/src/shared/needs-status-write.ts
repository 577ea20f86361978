import type { Result } from "@pilothouse/runtime"

/**
 * Whether what was planned for objects of these kinds failed, and the status was not tried: then nothing may come to wake the loop, and settle
 * has to write it. Not when an adoption or a revision failed: what the owner has is not known then, and neither is its status.
 */
export function needsStatusWrite(results: readonly Result[], kinds: readonly string[]): boolean {
  const failed = results.filter(({ ok }) => ok === false)
  const written = results.some(({ operation, ok }) => operation.do === "status" && ok !== "skipped")
  return failed.length > 0 && !written && failed.every(({ operation }) => isAbout(operation, kinds))
}

function isAbout(operation: Result["operation"], kinds: readonly string[]): boolean {
  return "object" in operation && operation.do !== "patch" && kinds.includes(operation.object.kind)
}
