// When a JSON or merge patch makes a document that is no object of the kind, the server's answer holds that document: the patch's own result, before
// anything is defaulted. A patch that also sets metadata.generation to a text asks for it.
import { isRecord } from "./objects/object.ts"

const wrong = "shown"

export function revealing(patch: unknown): unknown {
  if (Array.isArray(patch)) return [...patch, { op: "add", path: "/metadata/generation", value: wrong }]
  if (!isRecord(patch) || (patch.metadata !== undefined && !isRecord(patch.metadata))) return patch
  return { ...patch, metadata: { ...patch.metadata, generation: wrong } }
}

export function revealed(message: string): unknown {
  const quoted = /Invalid value: ("(?:[^"\\]|\\.)*")/.exec(message)?.[1]
  return quoted === undefined ? undefined : JSON.parse(JSON.parse(asJsonString(quoted)))
}

/** Go's quoted string has escapes that JSON does not know. */
function asJsonString(quoted: string): string {
  return quoted
    .replaceAll(/\\x([0-9a-f]{2})/g, "\\u00$1")
    .replaceAll("\\a", "\\u0007")
    .replaceAll("\\v", "\\u000b")
}
