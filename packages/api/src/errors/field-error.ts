import { stringifyJson } from "@pilothouse/seams"
import { goFloat } from "../text/go-float.ts"
import { escapedAsGo } from "../text/go-json.ts"
import { quoted } from "../text/quoted.ts"
import type { StatusCause } from "./status.ts"

/** A cause that names a field: "spec.containers[0].image", "metadata.labels[app]". */
export interface FieldError extends StatusCause {
  readonly reason: string
  readonly message: string
  readonly field: string
}

function cause(reason: string, field: string, parts: readonly string[]): FieldError {
  return { reason, message: parts.filter((part) => part !== "").join(": "), field }
}

/** Causes for `invalid`, in the words people know from kubectl. */
export const fieldError = {
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    cause("FieldValueInvalid", field, ["Invalid value", shown(value), detail]),

  /** Where the value would say nothing: a list of conditions of which two contradict each other. */
  invalidWithoutValue: (field: string, detail: string): FieldError => cause("FieldValueInvalid", field, ["Invalid value", detail]),

  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    cause("FieldValueTypeInvalid", field, ["Invalid value", shown(value), detail]),

  required: (field: string, detail = ""): FieldError => cause("FieldValueRequired", field, ["Required value", detail]),

  duplicate: (field: string, value: unknown): FieldError => cause("FieldValueDuplicate", field, ["Duplicate value", shown(value)]),

  notFound: (field: string, value: unknown): FieldError => cause("FieldValueNotFound", field, ["Not found", shown(value)]),

  /** The supported values stand in the order they are given in. */
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError => {
    const list = supported.length === 0 ? "" : `supported values: ${supported.map(quoted).join(", ")}`
    return cause("FieldValueNotSupported", field, ["Unsupported value", shown(value), list])
  },

  forbidden: (field: string, detail: string): FieldError => cause("FieldValueForbidden", field, ["Forbidden", detail]),

  tooLong: (field: string, maxBytes: number): FieldError =>
    cause("FieldValueTooLong", field, ["Too long", `may not be more than ${counted(maxBytes, "byte")}`]),

  tooLongCharacters: (field: string, maxCharacters: number): FieldError =>
    cause("FieldValueTooLong", field, ["Too long", `may not be more than ${counted(maxCharacters, "character")}`]),

  tooShort: (field: string, minCharacters: number): FieldError =>
    cause("FieldValueTooShort", field, ["Too short", `must be at least ${counted(minCharacters, "character")}`]),

  tooMany: (field: string, actual: number, max: number): FieldError =>
    cause("FieldValueTooMany", field, ["Too many", `${actual}`, `must have at most ${counted(max, "item")}`]),

  tooFew: (field: string, actual: number, min: number): FieldError =>
    cause("FieldValueTooFew", field, ["Too few", `${actual}`, `must have at least ${counted(min, "item")}`]),

  internal: (field: string, detail: string): FieldError => cause("InternalError", field, ["Internal error", detail]),
} as const

function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : `${what}s`}`
}

/** Texts in quotes, doubles as Go prints them, everything else as the JSON that Go writes: <, > and & escaped for web pages. */
function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value)
  if (typeof value === "number" && !Number.isSafeInteger(value)) return goFloat(value)
  return escapedAsGo(stringifyJson(value) ?? "null")
}

/** The text of one field error: "spec.replicas: Invalid value: -1: must be …". */
export function formatFieldError(error: StatusCause): string {
  return `${error.field ?? "<nil>"}: ${error.message ?? ""}`
}

/** One error as it is, several as "[a, b]", each text once: how Kubernetes writes a list of errors in one line. */
export function formatFieldErrors(errors: readonly StatusCause[]): string {
  const texts = [...new Set(errors.map(formatFieldError))]
  return texts.length > 1 ? `[${texts.join(", ")}]` : (texts[0] ?? "")
}
