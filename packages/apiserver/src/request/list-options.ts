import { badRequest, type FieldError, fieldError, invalid } from "@pilothouse/api"
import { type Query, queryValue } from "@pilothouse/seams"
import type { Revision } from "../storage/storage.ts"

/** Characters of one selector. Upstream has the limit of its headers, 1 MiB; reading that many requirements would hold up all other requests. */
export const selectorLimit = 64 * 1024

/** The query of a list or a watch, understood and checked. */
export interface ListOptions {
  /** Undefined: the newest; 0: whatever is there. */
  readonly resourceVersion: Revision | undefined
  readonly match: "Exact" | "NotOlderThan" | undefined
  readonly limit: number
  readonly continue: string
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents: boolean
  readonly timeoutSeconds: number | undefined
}

/** Reads the options of a list or a watch from the query. Throws Invalid for combinations that kube-apiserver refuses. */
export function listOptionsOf(query: Query, watch: boolean): ListOptions {
  const match = queryValue(query, "resourceVersionMatch") ?? ""
  const version = queryValue(query, "resourceVersion") ?? ""
  const asked = flag(query, "sendInitialEvents")
  const token = queryValue(query, "continue") ?? ""
  const facts: Facts = { match, version, token, asked }
  const errors = watch ? watchErrors(facts) : listErrors(facts)
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors)
  // A watch that names no version begins with what there is; informers older than watch lists rely on it.
  const fromNow = asked === undefined && match === "" && (version === "" || version === "0")
  return {
    resourceVersion: watch ? versionOf(version) : versionOf(version, "invalid resource version: "),
    match: match === "" ? undefined : (match as ListOptions["match"]),
    limit: wholeNumber(query, "limit") ?? 0,
    continue: token,
    allowWatchBookmarks: flag(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: asked ?? (watch && fromNow),
    timeoutSeconds: wholeNumber(query, "timeoutSeconds"),
  }
}

interface Facts {
  readonly match: string
  readonly version: string
  readonly token: string
  readonly asked: boolean | undefined
}

const matchField = "resourceVersionMatch"

function listErrors({ match, version, token, asked }: Facts): readonly FieldError[] {
  const errors: FieldError[] = []
  if (match !== "") {
    if (version === "")
      errors.push(fieldError.forbidden(matchField, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
    if (token !== "") errors.push(fieldError.forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"))
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(fieldError.notSupported(matchField, match, ["Exact", "NotOlderThan", ""]))
    if (match === "Exact" && version === "0") {
      errors.push(fieldError.forbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
    }
  }
  if (asked !== undefined) errors.push(fieldError.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
  return errors
}

function watchErrors({ match, token, asked }: Facts): readonly FieldError[] {
  const errors: FieldError[] = []
  if (asked !== undefined && match !== "NotOlderThan") {
    errors.push(fieldError.forbidden(matchField, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
  }
  if (match === "") return errors
  if (asked === undefined) {
    errors.push(fieldError.forbidden(matchField, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
  }
  if (match !== "NotOlderThan") errors.push(fieldError.notSupported(matchField, match, ["NotOlderThan"]))
  if (token !== "") errors.push(fieldError.forbidden(matchField, "resourceVersionMatch is forbidden when continue is provided"))
  return errors
}

/** Of an unsigned integer of 64 bits. */
const maxDigits = 20

export function versionOf(text: string, prefix = ""): Revision | undefined {
  if (text === "") return undefined
  const isNumber = /^\d+$/.test(text)
  if (isNumber && text.length <= maxDigits) return Number(text)
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${isNumber ? "value out of range" : "invalid syntax"}`
  throw badRequest(`${prefix}resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`)
}

function wholeNumber(query: Query, name: string): number | undefined {
  const text = queryValue(query, name)
  if (text === undefined || text === "") return undefined
  if (/^-?\d+$/.test(text)) return Number(text)
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`)
}

/** As upstream reads a boolean of a query: all but "0" and "false" in any case is true, an empty value too. */
export function flag(query: Query, name: string): boolean | undefined {
  const text = queryValue(query, name)
  if (text === undefined) return undefined
  return text !== "0" && text.toLowerCase() !== "false"
}
