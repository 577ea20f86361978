import { PatchError } from "./values/patch-error.ts"

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
