import { Buffer } from "node:buffer"
import { badRequest, type StatusError } from "@pilothouse/api"
import { goJsonWord } from "@pilothouse/api/patch"
import { jsonSyntaxError } from "../body/json-syntax.ts"
import type { Revision } from "../storage/storage.ts"

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

/** Characters. A token names a revision, a namespace and a name. */
const tokenLimit = 4096

/** Reads the token of the next page. Throws where it is of another version or would lead out of the collection `prefix`. */
export function decodeContinue(text: string, prefix: string): ContinueToken {
  if (text.length > tokenLimit) throw invalidKey(`expected at most ${tokenLimit} characters, found ${text.length}`)
  const { v, rv, start } = parse(text)
  if (v !== version) throw invalidKey(`server does not recognize this encoded version ${v}`)
  if (rv === 0) throw invalidKey(`incorrect encoded start resourceVersion (version ${version})`)
  if (start === "") throw invalidKey(`encoded start key empty (version ${version})`)
  const relative = start.replace(/^\//, "")
  // A token cannot lead out of the collection it was made for.
  if (relative !== "" && relative.split("/").some((part) => part === ".." || part === "." || part === "")) throw invalidKey(start)
  return { revision: Math.max(rv, -1), after: prefix + relative.replace(/\u0000$/, "") }
}

function invalidKey(why: string): StatusError {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}

interface Fields {
  readonly v: string
  readonly rv: number
  readonly start: string
}

/** As Go reads it, letter case and all, with Go's words for what does not fit. */
function parse(text: string): Fields {
  const token = jsonOf(text)
  if (token === null) return { v: "", rv: 0, start: "" }
  if (typeof token !== "object" || Array.isArray(token)) {
    throw invalidKey(`json: cannot unmarshal ${goJsonWord(token)} into Go value of type storage.continueToken`)
  }
  const field = <T>(name: keyof Fields, type: string, zero: T, fits: (value: unknown) => value is T): T => {
    const [, value] = Object.entries(token).findLast(([key]) => key.toLowerCase() === name) ?? []
    if (value === undefined || value === null) return zero
    if (fits(value)) return value
    const found = typeof value === "number" && type === "int64" ? `number ${value}` : goJsonWord(value)
    throw invalidKey(`json: cannot unmarshal ${found} into Go struct field continueToken.${name} of type ${type}`)
  }
  return { v: field("v", "string", "", isText), rv: field("rv", "int64", 0, isWhole), start: field("start", "string", "", isText) }
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isWhole(value: unknown): value is number {
  return Number.isInteger(value)
}

function jsonOf(text: string): unknown {
  const fault = illegalByte(text)
  if (fault !== undefined) throw invalidKey(`illegal base64 data at input byte ${fault}`)
  const bytes = Buffer.from(text, "base64url")
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw invalidKey(jsonSyntaxError(bytes))
  }
}

/** Node leaves out what is no base64, and a letter too many at the end; Go says where it stands. Line ends count for nothing. */
function illegalByte(text: string): number | undefined {
  const bad = text.search(/[^\w\r\n-]/)
  if (bad !== -1) return bad
  return text.replaceAll(/[\r\n]/g, "").length % 4 === 1 ? text.length - 1 : undefined
}
