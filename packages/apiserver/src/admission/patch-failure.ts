import { quoted } from "@pilothouse/api"
import { applyJsonPatch, PatchError } from "@pilothouse/api/patch"

/** Returns the error of Go's library for the first operation that does not apply, so that a reader finds it where such errors are explained. */
export function patchFailure(value: unknown, operations: readonly unknown[]): string | undefined {
  // Halved, not stepped through: each application copies what it changes, and a patch has up to ten thousand operations.
  let [applied, failed] = [0, operations.length]
  while (failed - applied > 1) {
    const middle = Math.floor((applied + failed) / 2)
    if (applies(value, operations.slice(0, middle))) applied = middle
    else failed = middle
  }
  const document = applyJsonPatch(value, operations.slice(0, applied))
  return operationFailure(document, operations[applied] as { readonly op?: unknown; readonly path?: unknown } | null)
}

function applies(value: unknown, operations: readonly unknown[]): boolean {
  try {
    applyJsonPatch(value, operations)
    return true
  } catch (error) {
    if (error instanceof PatchError) return false
    throw error
  }
}

function operationFailure(document: unknown, operation: { readonly op?: unknown; readonly path?: unknown } | null): string | undefined {
  const { op, path } = operation ?? {}
  if (typeof op !== "string" || typeof path !== "string") return undefined
  const missing = (shown: string) => `${op} operation does not apply: doc is missing path: ${shown}: missing value`
  if (path === "" && op === "add") return missing(quoted(path))
  const keys = path.split("/").slice(1)
  const key = keys.pop() ?? ""
  if (op === "test") return `testing value ${path} failed: test failed`
  if (!["add", "remove", "replace", "move", "copy"].includes(op)) return `Unexpected kind: ${op}`
  const parent = keys.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>> | null | undefined)?.[name], document)
  if (typeof parent !== "object" || parent === null) {
    return missing(op === "replace" ? path : quoted(path))
  }
  return op === "remove" ? `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value` : undefined
}
