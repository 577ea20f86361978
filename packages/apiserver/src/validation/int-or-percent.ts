import { checkPercent, type FieldError, fieldError } from "@pilothouse/api"
import { nonNegative } from "./field-rules.ts"

/** A number that is not below zero, or a share such as "25%". */
export function intOrPercentErrors(value: number | string | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "string") return nonNegative(value, field)
  return checkPercent(value).map((text) => fieldError.invalid(field, value, text))
}

export function atMostAll(value: number | string | undefined, field: string): readonly FieldError[] {
  if (typeof value !== "string" || checkPercent(value).length > 0 || Number.parseInt(value, 10) <= 100) return []
  return [fieldError.invalid(field, value, "must not be greater than 100%")]
}
