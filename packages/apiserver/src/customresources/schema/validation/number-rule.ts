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
  const sentence = `${what} value must be of type ${type} ${format === "" ? "(default format)" : `with format ${format}`} in ${run.path}`
  run.reportWithoutPlace(sentence, (field) => fieldError.invalid(field, "", sentence))
  return false
}

function isInRange(type: string, format: string, value: number | bigint): boolean {
  if (type === "integer") return isWithin(value, format === "int32" ? 31n : 63n)
  return format !== "float" || Number.isFinite(Math.fround(Number(value)))
}

function isWithin(value: number | bigint, bits: bigint): boolean {
  if (typeof value === "number" && !Number.isInteger(value)) return false
  const whole = BigInt(value)
  return whole < 1n << bits && whole >= -(1n << bits)
}

/** Upstream compares integers with the integer part of a limit that fits the type, and everything else as doubles. */
function usesIntegers(value: number | bigint): boolean {
  return typeof value === "bigint" || Number.isSafeInteger(value)
}

function checkMultiple(rule: NumberRule, value: number | bigint, factor: number, run: Validation): void {
  const inIntegers = checkRange(rule, factor, "MultipleOf", run) && usesIntegers(value)
  const exact = inIntegers ? toInt64(factor) : undefined
  const shown = exact === undefined ? goFloat(factor) : String(exact)
  const { path } = run
  if (exact === undefined ? factor <= 0 : exact <= 0n) {
    const sentence = `factor MultipleOf declared for ${path} must be positive: ${shown}`
    return run.report(path, sentence, (field) => fieldError.invalid(field, exact ?? factor, sentence))
  }
  const isMultiple = exact === undefined ? isDoubleMultiple(Number(value), factor) : BigInt(value) % exact === 0n
  if (isMultiple) return
  reportNumber(exact === undefined ? Number(value) : value, `should be a multiple of ${shown}`, exact === undefined, run)
}

function isDoubleMultiple(value: number, factor: number): boolean {
  return isJsonInteger(factor < 1 ? (1 / factor) * value : value / factor)
}

function checkBound(rule: NumberRule, value: number | bigint, bound: number, side: "minimum" | "maximum", run: Validation): void {
  const what = side === "minimum" ? "Minimum boundary" : "Maximum boundary"
  const inIntegers = checkRange(rule, bound, what, run) && usesIntegers(value)
  const limit = inIntegers ? toInt64(bound) : bound
  // A double is compared with a double: an integer beyond 2^53 is rounded first.
  const compared = inIntegers ? value : Number(value)
  const isExclusive = side === "minimum" ? rule.exclusiveMinimum : rule.exclusiveMaximum
  if (side === "minimum" ? compared > limit : compared < limit) return
  if (!isExclusive && (inIntegers ? BigInt(compared) === limit : compared === limit)) return
  const relation = `${side === "minimum" ? "greater" : "less"} than${isExclusive ? "" : " or equal to"}`
  reportNumber(compared, `should be ${relation} ${typeof limit === "bigint" ? limit : goFloat(limit)}`, !inIntegers, run)
}

/** A double is shown as one even where it has no fraction: 2000000 is 2e+06. */
function reportNumber(value: number | bigint, what: string, isDouble: boolean, run: Validation): void {
  const { path } = run
  const sentence = `${path} in body ${what}`
  const shown = isDouble ? goFloat(Number(value)) : String(value)
  run.report(path, sentence, (field) => fieldError.invalidWithoutValue(field, `${shown}: ${sentence}`))
}

/** The integer part of a double; the least int64 for what does not fit one, as processors convert it. */
function toInt64(value: number): bigint {
  const whole = BigInt(Math.trunc(value))
  return fitsInt64(whole) ? whole : -(2n ** 63n)
}
