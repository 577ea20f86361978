import { type FieldError, fieldError, invalid } from "@pilothouse/api"
import { type Query, queryValue, type Verb } from "@pilothouse/seams"

const kinds: Readonly<Partial<Record<Verb, string>>> = {
  POST: "CreateOptions",
  PUT: "UpdateOptions",
  PATCH: "PatchOptions",
  DELETE: "DeleteOptions",
}
const validations: readonly string[] = ["", "Ignore", "Strict", "Warn"]
const longestManager = 128

/** Refuses the query of a write that is none of upstream's; a read has no such options. */
export function checkWriteOptions(query: Query, verb: Verb): void {
  const kind = kinds[verb]
  if (kind === undefined) return
  const errors = [...dryRunErrors(dryRunsIn(query)), ...(verb === "DELETE" ? [] : managerErrors(query))]
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors)
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
  const manager = queryValue(query, "fieldManager") ?? ""
  const validation = queryValue(query, "fieldValidation") ?? ""
  const errors: FieldError[] = []
  if (manager.length > longestManager) errors.push(fieldError.tooLong("fieldManager", longestManager))
  const strange = [...manager].findIndex((letter) => /[\p{C}\p{Zl}\p{Zp}]/u.test(letter))
  if (strange !== -1)
    errors.push(fieldError.invalid("fieldManager", manager, `invalid character ${codeOf(manager, strange)} (at position ${strange})`))
  if (!validations.includes(validation)) errors.push(fieldError.notSupported("fieldValidation", validation, validations))
  return errors
}

/** "U+0007" */
function codeOf(text: string, at: number): string {
  const code = [...text][at]?.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`
}
