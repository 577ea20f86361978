import { deepEqual, fieldError, goJson, quoted } from "@pilothouse/api"
import { sortedKeys } from "../structural/sorted-keys.ts"
import type { Validation } from "./result.ts"

/** What a JSON value is, in the words of OpenAPI. */
export type ValueType = "null" | "boolean" | "string" | "integer" | "number" | "array" | "object"

/** The type of a value: an integer is what fits Go's int64, and any other number is a double. */
export function valueType(value: unknown): ValueType {
  switch (typeof value) {
    case "string":
    case "boolean":
      return typeof value as "string" | "boolean"
    case "number":
      return Number.isSafeInteger(value) ? "integer" : "number"
    case "bigint":
      return "integer"
    default:
      return value === null || value === undefined ? "null" : Array.isArray(value) ? "array" : "object"
  }
}

/** What a schema says about the type of a value. */
export interface TypeRule {
  /** None for any type; two for a number that may be a text. */
  readonly types: readonly string[]
  /** "" for none. */
  readonly format: string
  readonly isNullable: boolean
}

/** Checks the type of a value; counts a match where it is right. */
export function checkType({ types, format, isNullable }: TypeRule, type: ValueType, value: unknown, run: Validation): void {
  if (type === "null") {
    if (types.length > 0 && !isNullable) reportType(types.join(","), "null", run)
    else run.result.matches++
    return
  }
  const isRight = types.includes(type) || isNumberOf(types, type, value)
  const isTextual = type === "string" || type === "array"
  // A format without a type, or a value that is not of its type: upstream names the format instead, and what the value's own format is.
  if (!isTextual && format !== "" && !isRight) return reportType(format, formatOf(type), run)
  // Texts and lists pass where a format of texts is declared: what a text must look like is the format's own check.
  const passes = isRight || (isTextual && format !== "" && !types.includes("number") && !types.includes("integer"))
  if (passes) run.result.matches++
  else reportType(types.join(","), type, run)
}

/** Integers are numbers, and a double without a fraction is an integer. */
function isNumberOf(types: readonly string[], type: ValueType, value: unknown): boolean {
  if (type === "integer") return types.includes("number")
  return type === "number" && types.includes("integer") && isJsonInteger(value as number)
}

/** Reports whether a double counts as an integer: also what is within a billionth of one. */
export function isJsonInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false
  const whole = Math.trunc(value)
  if (value === whole) return true
  // Upstream goes through an unsigned integer, which of a negative number is 2^64 less: then only the exact comparison can hold.
  if (value < 0 || whole === 0) return false
  return (value - whole) / (value + whole) < 1e-9
}

function formatOf(type: ValueType): string {
  if (type === "integer") return "int64"
  return type === "number" ? "float64" : ""
}

/** Reports an error of a type or of a format: "spec.x in body must be of type string: …". */
export function reportType(expected: string, found: string, run: Validation): void {
  run.report((path) => {
    const sentence = `${path} in body must be of type ${expected}: ${quoted(found)}`
    return { at: path, sentence, error: (field) => fieldError.typeInvalid(field, found, sentence) }
  })
}

/** Checks that a value is one of those that a schema lists. Null never is. */
export function checkEnum(allowed: readonly unknown[], value: unknown, run: Validation): void {
  for (const one of allowed) if (isEnumValue(value, one)) return
  run.report((path) => {
    const shown = allowed.map((one) => (typeof one === "string" ? one : goJson(one)))
    const sentence = `${path} in body should be one of [${shown.join(" ")}]`
    return { at: path, sentence, error: (field) => fieldError.notSupported(field, sortedKeys(value), shown) }
  })
}

/** Upstream converts a value to the type of the one it is compared with: 1.5 to the integer 1, and the integer 65 to the text "A". */
function isEnumValue(value: unknown, one: unknown): boolean {
  if (value === null || one === null) return false
  if (value === one) return true
  const [from, to] = [valueType(value), valueType(one)]
  if (from === to) return deepEqual(value, one)
  if (from === "number" && to === "integer") return BigInt(Math.trunc(value as number)) === BigInt(one as number | bigint)
  if (from === "integer" && to === "number") return Number(value) === one
  return from === "integer" && to === "string" && characterOf(value as number | bigint) === one
}

function characterOf(code: number | bigint): string {
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(Number(code)) : "\ufffd"
}
