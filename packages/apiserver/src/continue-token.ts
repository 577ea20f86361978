import { Buffer } from "node:buffer"
import { badRequest } from "@pilothouse/api"
import { jsonSyntaxError } from "./json-syntax.ts"
import type { Revision } from "./storage/storage.ts"

/** Where the next page of a list begins. Opaque to clients; the form is upstream's. */
export interface ContinueToken {
  /** Of the first page; -1: go on at the newest, though the pages then do not show one instant. */
  readonly revision: Revision
  /** The last key that was sent. */
  readonly after: string
}

const version = "meta.k8s.io/v1"

export function encodeContinue({ revision, after }: ContinueToken, prefix: string): string {
  const token = { v: version, rv: revision, start: `${after.slice(prefix.length)}\u0000` }
  return Buffer.from(JSON.stringify(token)).toString("base64url")
}

export function decodeContinue(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = parse(text)
  if (v !== version)
    throw badRequest(`invalid continue token: continue key is not valid: server does not recognize this encoded version ${String(v ?? "")}`)
  if (typeof rv !== "number" || !Number.isInteger(rv) || rv === 0 || rv < -1) {
    throw badRequest("invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
  }
  if (typeof start !== "string" || start === "")
    throw badRequest("invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
  const relative = start.replace(/^\//, "")
  // A token cannot lead out of the collection it was made for.
  if (relative.split("/").some((part) => part === ".." || part === "." || part === ""))
    throw badRequest(`invalid continue token: continue key is not valid: ${start}`)
  return { revision: rv, after: prefix + relative.replace(/\u0000$/, "") }
}

function parse(text: string): { readonly v?: unknown; readonly rv?: unknown; readonly start?: unknown } {
  const bytes = Buffer.from(text, "base64url").toString("latin1")
  try {
    const token: unknown = JSON.parse(Buffer.from(bytes, "latin1").toString())
    if (typeof token === "object" && token !== null) return token
  } catch {
    // Go looks at single bytes, so a letter of two bytes is named by its first.
    throw badRequest(`invalid continue token: continue key is not valid: ${jsonSyntaxError(bytes)}`)
  }
  throw badRequest("invalid continue token: continue key is not valid")
}
