import { type FieldError, fieldError, invalid } from "@pilothouse/api"
import { patchContentTypes } from "@pilothouse/api/patch"
import { type Query, queryValue, type TransportRequest, type Verb } from "@pilothouse/seams"

const kinds: Readonly<Partial<Record<Verb, string>>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
  DELETE: "DeleteOptions",
}
const validations: readonly string[] = ["", "Ignore", "Strict", "Warn"]
const longestManager = 128

/** Refuses the query of a write that is none of upstream's; a read has no such options. The content type is that of a patch, without parameters. */
export function checkWriteOptions(query: Query, verb: Verb, contentType = ""): void {
  const kind = kinds[verb]
  if (kind === undefined) return
  const errors = [
    ...(verb === "PATCH" ? applyErrors(query, contentType) : []),
    ...dryRunErrors(dryRunsIn(query)),
    ...(verb === "DELETE" ? [] : managerErrors(query)),
  ]
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors)
}

/** Options that only server-side apply has, or needs. A type that is no patch's is refused for that alone. */
function applyErrors(query: Query, contentType: string): readonly FieldError[] {
  if (contentType === patchContentTypes.apply) {
    return (queryValue(query, "fieldManager") ?? "") === "" ? [fieldError.required("fieldManager", "is required for apply patch")] : []
  }
  const isPatch = Object.values<string>(patchContentTypes).includes(contentType)
  return isPatch && queryValue(query, "force") !== undefined
    ? [fieldError.forbidden("force", "may not be specified for non-apply patch")]
    : []
}

/** Returns what the query of a request says of its write: beside the body of a delete it says nothing, as upstream. */
export function writeQueryOf({ verb, query, body }: Pick<TransportRequest, "verb" | "query" | "body">): Query {
  if (verb !== "DELETE" || body === undefined) return query
  const isEmpty = body.type === "value" ? body.value === undefined : body.bytes.length === 0
  return isEmpty ? query : {}
}

export function isDryRun(query: Query, verb: Verb): boolean {
  return verb !== "GET" && dryRunsIn(query).length > 0
}

/** An empty value is a value too. */
function dryRunsIn(query: Query): readonly string[] {
  const given = query.dryRun
  return given === undefined ? [] : typeof given === "string" ? [given] : given
}

export function dryRunErrors(values: readonly string[]): readonly FieldError[] {
  return values.every((value) => value === "All") ? [] : [fieldError.notSupported("dryRun", values, ["All"])]
}

function managerErrors(query: Query): readonly FieldError[] {
  const validation = queryValue(query, "fieldValidation") ?? ""
  const errors = managerNameErrors(queryValue(query, "fieldManager") ?? "", "fieldManager")
  if (validations.includes(validation)) return errors
  return [...errors, fieldError.notSupported("fieldValidation", validation, validations)]
}

/** Returns what is wrong with the name of a manager at a path; lengths and positions are of bytes. */
export function managerNameErrors(manager: string, path: string): readonly FieldError[] {
  if (manager.length <= longestManager && printableAscii.test(manager)) return noErrors
  const errors: FieldError[] = []
  if (Buffer.byteLength(manager) > longestManager) errors.push(fieldError.tooLong(path, longestManager))
  const strange = manager.search(unprintable)
  if (strange === -1) return errors
  const code = (manager.codePointAt(strange) ?? 0).toString(16).toUpperCase().padStart(4, "0")
  const position = Buffer.byteLength(manager.slice(0, strange))
  return [...errors, fieldError.invalid(path, manager, `invalid character U+${code} (at position ${position})`)]
}

const noErrors: readonly FieldError[] = []
/** Nearly every name. */
const printableAscii = /^[ -~]*$/

/** What Go does not print: of the spaces only the one of ASCII is printed. */
export const unprintable = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu
