import { deepEqual } from "../meta/deep-equal.ts"
import { PatchedDocument, type Token } from "./patched-document.ts"
import { goJsonWord } from "./values/go-format.ts"
import { isList, isObject } from "./values/json-value.ts"
import { PatchError } from "./values/patch-error.ts"

/** One operation of a JSON patch (RFC 6902). */
export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test"
  readonly path: string
  readonly from?: string
  readonly value?: unknown
}

/** Options of `applyJsonPatch`. */
export interface JsonPatchOptions {
  /**
   * RFC 6902 to the letter. Without it, what kube-apiserver lets through passes here too: "replace" of an object key that is not there adds it,
   * "test" of one against null holds, "copy" of one copies null, a missing "value" is null, an index may have a sign
   * and leading zeros (-1 is the last element), and pointers are read leniently. It refuses what the RFC allows: to "add", "copy" or "move" the whole document, or to make it anything but an object or list.
   */
  readonly strict?: boolean
}

/** The maximum number of operations of one JSON patch: kube-apiserver's limit. */
export const maxJsonPatchOperations = 10_000

/** Applies an RFC 6902 patch. The input is not touched; the result shares with it, and with the patch, everything that did not change. */
export function applyJsonPatch(value: unknown, patch: unknown, options: JsonPatchOptions = {}): unknown {
  const document = new PatchedDocument(value, options.strict !== true)
  for (const [index, operation] of operationsOf(patch, options.strict === true).entries())
    applyAt(document, index, operation, options.strict === true)
  return document.root
}

function operationsOf(patch: unknown, strict: boolean): readonly unknown[] {
  // Go reads null as a list without operations.
  if (patch === null && !strict) return []
  if (!isList(patch)) throw undecodable(patch, "value of type []handlers.jsonPatchOp")
  if (patch.length > maxJsonPatchOperations) {
    throw new PatchError(413, `The allowed maximum operations in a JSON patch is ${maxJsonPatchOperations}, got ${patch.length}`)
  }
  return strict ? patch : patch.map(decoded)
}

/** kube-apiserver decodes all operations before it applies the first one, and reads null as one without fields. */
function decoded(operation: unknown): unknown {
  if (operation === null) return {}
  if (!isObject(operation)) throw undecodable(operation, "value of type handlers.jsonPatchOp")
  for (const field of ["op", "path", "from"]) {
    const value = operation[field] ?? ""
    if (typeof value !== "string") throw undecodable(value, `struct field jsonPatchOp.${field} of type string`)
  }
  return operation
}

function undecodable(value: unknown, into: string): PatchError {
  return new PatchError(400, `error decoding patch: json: cannot unmarshal ${goJsonWord(value)} into Go ${into}`)
}

function applyAt(document: PatchedDocument, index: number, operation: unknown, strict: boolean): void {
  try {
    applyOne(document, read(operation, strict))
  } catch (cause) {
    if (cause instanceof PatchError)
      throw new PatchError(cause.status, `JSON patch operation ${index}${named(operation)}: ${cause.message}`, cause)
    throw cause
  }
}

function failedTest(): PatchError {
  return new PatchError(422, "test failed: the value there is another one", { isFailedTest: true })
}

function named(operation: unknown): string {
  if (!isObject(operation)) return ""
  return ` (${String(operation.op)} ${JSON.stringify(operation.path) ?? "without path"})`
}

interface Step {
  readonly op: string
  readonly path: readonly Token[]
  readonly from: readonly Token[]
  readonly value: unknown
}

function read(operation: unknown, strict: boolean): Step {
  if (!isObject(operation)) throw new PatchError(400, "an operation must be an object")
  const { op, path, from, value } = operation
  if (typeof op !== "string") throw new PatchError(422, 'the operation has no "op" that is a string')
  if (typeof path !== "string") throw new PatchError(422, 'the operation has no "path" that is a string')
  const needsFrom = op === "move" || op === "copy"
  if (needsFrom && typeof from !== "string") throw new PatchError(422, 'the operation has no "from" that is a string')
  const needsValue = op === "add" || op === "replace" || op === "test"
  if (needsValue && strict && value === undefined) throw new PatchError(422, 'the operation has no "value"')
  return { op, path: parsePointer(path, !strict), from: needsFrom ? parsePointer(from as string, !strict) : [], value: value ?? null }
}

function applyOne(document: PatchedDocument, { op, path, from, value }: Step): void {
  switch (op) {
    case "add":
      return document.add(path, value)
    case "replace":
      return document.replace(path, value)
    case "remove":
      return document.remove(path)
    case "move":
      if (isInside(path, from)) throw new PatchError(422, 'a value cannot be moved into itself: "path" is inside "from"')
      return document.move(from, path)
    case "copy":
      return document.copy(from, path)
    case "test":
      if (!deepEqual(document.tested(path), value)) throw failedTest()
      return
    default:
      throw new PatchError(422, `Unexpected kind: ${op}`)
  }
}

/**
 * The tokens of an RFC 6901 pointer: "" is the whole document, "/a~1b/0" is ["a/b", "0"].
 * The lenient reading is kube-apiserver's: what stands before the first "/" is dropped ("x/a" is "/a"), and "~2" stands for itself.
 */
export function parsePointer(pointer: string, lenient = false): string[] {
  if (pointer === "") return []
  if (lenient && pointer.includes("/")) return pointer.split("/").slice(1).map(unescapeToken)
  if (!pointer.startsWith("/")) throw new PatchError(422, `path ${JSON.stringify(pointer)} must be empty or start with "/"`)
  if (!pointer.includes("~")) return pointer.slice(1).split("/")
  if (/~(?![01])/.test(pointer)) throw new PatchError(422, `path ${JSON.stringify(pointer)} has a "~" that is not "~0" or "~1"`)
  return pointer.slice(1).split("/").map(unescapeToken)
}

export function escapeToken(token: string): string {
  return /[~/]/.test(token) ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token
}

// "~1" first: "~01" is the two characters "~1", not "/".
function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~")
}

/** True when `inner` is a place inside `outer` (not `outer` itself). */
export function isInside(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.length > outer.length && outer.every((token, index) => token === inner[index])
}
