import { fieldError, goFloat } from "@pilothouse/api"
import { fitsInt64 } from "@pilothouse/seams"
import type { Validation } from "./result.ts"
import { isJsonInteger } from "./type-rule.ts"

/** What a schema says about a number. */
export interface NumberRule {
  /** The only type where there is just one, and "" otherwise. */
  readonly type: string
  /** One that says how large a number may be, or "". */
  readonly format: string
  readonly multipleOf: number | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly exclusiveMaximum: boolean
}

/** Checks a number; counts a match in any case, as upstream does. */
export function checkNumber(rule: NumberRule, value: number | bigint, run: Validation): void {
  checkRange(rule, value, "Checked", run)
  if (rule.multipleOf !== undefined) checkMultiple(rule, value, rule.multipleOf, run)
  if (rule.minimum !== undefined) checkBound(rule, value, rule.minimum, "minimum", run)
  if (rule.maximum !== undefined) checkBound(rule, value, rule.maximum, "maximum", run)
  run.result.matches++
}

/** Whether a number, or a limit of one, is within what the type and the format can hold. */
function checkRange({ type, format }: NumberRule, value: number | bigint, what: string, run: Validation): boolean {
  if (isInRange(type, format, value)) return true
  run.report((path) => {
    const sentence = `${what} value must be of type ${type} ${format === "" ? "(default format)" : `with format ${format}`} in ${path}`
    return { at: undefined, sentence, error: (field) => fieldError.invalid(field, "", sentence) }
  })
  return false
}

function isInRange(type: string, format: string, value: number | bigint): boolean {
  if (type !== "integer") return format !== "float" || Number.isFinite(Math.fround(Number(value)))
  const limit = format === "int32" ? 2 ** 31 : 2 ** 63
  return (typeof value === "bigint" || Number.isInteger(value)) && value < limit && value >= -limit
}

/** Upstream compares integers with the integer part of a limit that fits the type, and everything else as doubles. */
function isInteger(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value)
}

function checkMultiple(rule: NumberRule, value: number | bigint, factor: number, run: Validation): void {
  const inIntegers = checkRange(rule, factor, "MultipleOf", run) && isInteger(value)
  const exact = inIntegers ? integerPart(factor) : undefined
  if ((exact ?? factor) <= 0) return reportFactor(exact ?? factor, run)
  const isMultiple = exact === undefined ? isDoubleMultiple(Number(value), factor) : isIntegerMultiple(value, exact)
  if (!isMultiple) reportNumber(value, `should be a multiple of ${textOf(exact ?? factor, inIntegers)}`, inIntegers, run)
}

function isIntegerMultiple(value: number | bigint, factor: number | bigint): boolean {
  return typeof value === "number" && typeof factor === "number" ? value % factor === 0 : BigInt(value) % BigInt(factor) === 0n
}

function isDoubleMultiple(value: number, factor: number): boolean {
  return isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor)
}

function reportFactor(factor: number | bigint, run: Validation): void {
  run.report((path) => {
    const sentence = `factor MultipleOf declared for ${path} must be positive: ${textOf(factor, Number.isInteger(factor))}`
    return { at: path, sentence, error: (field) => fieldError.invalid(field, factor, sentence) }
  })
}

function checkBound(rule: NumberRule, value: number | bigint, bound: number, side: "minimum" | "maximum", run: Validation): void {
  const what = side === "minimum" ? "Minimum boundary" : "Maximum boundary"
  const inIntegers = checkRange(rule, bound, what, run) && isInteger(value)
  const limit = inIntegers ? integerPart(bound) : bound
  // A double is compared with a double: an integer beyond 2^53 is rounded first.
  const compared = inIntegers ? value : Number(value)
  if (side === "minimum" ? compared > limit : compared < limit) return
  const isExclusive = side === "minimum" ? rule.exclusiveMinimum : rule.exclusiveMaximum
  // Neither greater nor less: equal, be it as number and bigint.
  if (!isExclusive && !(compared < limit) && !(compared > limit)) return
  const relation = `${side === "minimum" ? "greater" : "less"} than${isExclusive ? "" : " or equal to"}`
  reportNumber(value, `should be ${relation} ${textOf(limit, inIntegers)}`, inIntegers, run)
}

/** The integer part of a double; the least int64 for what does not fit one, as processors convert it. */
function integerPart(value: number): number | bigint {
  const whole = Math.trunc(value)
  if (Number.isSafeInteger(whole)) return whole
  return fitsInt64(BigInt(whole)) ? BigInt(whole) : -(2n ** 63n)
}

/** A double is shown as one even where it has no fraction: 2000000 is 2e+06. */
function textOf(value: number | bigint, isInteger: boolean): string {
  return isInteger ? String(value) : goFloat(Number(value))
}

function reportNumber(value: number | bigint, what: string, isInteger: boolean, run: Validation): void {
  run.report((path) => {
    const sentence = `${path} in body ${what}`
    return { at: path, sentence, error: (field) => fieldError.invalidWithoutValue(field, `${textOf(value, isInteger)}: ${sentence}`) }
  })
}
