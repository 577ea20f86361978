import { fixed, scientific } from "../values/decimal-digits.ts"
import { formatDouble, plainDigits } from "../values/doubles.ts"
import { compareStrings } from "../values/equality.ts"
import { isDouble, isInt, kindOf, typeOf } from "../values/kinds.ts"
import { type AnyMap, mapGet, mapKeys, mapSize } from "../values/maps.ts"
import { decodeUtf8, withoutTrailingZeros } from "../values/text.ts"
import { doubleValue, fail, Uint, type Value } from "../values/value.ts"
import { countWork } from "../values/work.ts"
import { fillTemplate, formatHex, inBase, plainKinds, type Verbs } from "./format-string.ts"

/**
 * Fills a template as versions 1 to 3 of the strings library do: doubles as English texts write them (1,234.500000 and 1.200000×10⁻⁰⁴),
 * and the parts of lists and maps as literals.
 */
export function formatStringInEnglish(template: string, args: readonly Value[]): string {
  return fillTemplate(template, args, englishVerbs)
}

/** What each verb accepts, in upstream's words. */
export const englishVerbs: Verbs = {
  s: {
    format: formatPlain,
    accepts: plainKinds,
    refuses:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given",
  },
  d: { format: formatDecimal, accepts: ["int", "uint"], refuses: "decimal clause can only be used on integers, was given" },
  f: {
    format: (value, precision) =>
      readable(precision) ? formatDoubleIn(value, (number) => grouped(fixedInEnglish(number, precision))) : unreadable,
    accepts: ["double", "string"],
    refuses: "fixed-point clause can only be used on doubles, was given",
  },
  e: {
    // What is written as a precision is a width to Go's printer.
    format(value, width, isPrecise) {
      const text = formatDoubleIn(value, (number) => superscript(scientific(number, 6)))
      return readable(width) ? text?.padStart(isPrecise ? width % 2 ** 16 : 0) : unreadable
    },
    accepts: ["double", "string"],
    refuses: "scientific clause can only be used on doubles, was given",
  },
  b: {
    format: (value) => (typeof value === "boolean" ? String(Number(value)) : inBase(value, 2)),
    accepts: ["bool", "int", "uint"],
    refuses: "only integers and bools can be formatted as binary, was given",
  },
  x: {
    format: formatHex,
    accepts: ["bytes", "int", "string", "uint"],
    refuses: "only integers, byte buffers, and strings can be formatted as hex, was given",
  },
  X: {
    format: (value) => formatHex(value)?.toUpperCase(),
    accepts: ["bytes", "int", "string", "uint"],
    refuses: "only integers, byte buffers, and strings can be formatted as hex, was given",
  },
  o: { format: (value) => inBase(value, 8), accepts: ["int", "uint"], refuses: "octal clause can only be used on integers, was given" },
}

function formatDecimal(value: Value): string | undefined {
  return isInt(value) || value instanceof Uint ? inBase(value, 10) : undefined
}

const invalidUtf8 = JSON.stringify("invalid UTF-8 in bytes, cannot convert to string")

function formatPlain(value: Value): string | undefined {
  switch (kindOf(value)) {
    case "double":
      return formatDouble(doubleValue(value))
    case "bytes":
      return decodeUtf8(value as Uint8Array) ?? fail(`error during formatting: could not convert argument ${invalidUtf8} to string`)
    case "list":
      countWork((value as readonly Value[]).length)
      return `[${(value as readonly Value[]).map(formatPart).join(", ")}]`
    case "map":
      return formatMap(value as AnyMap)
    case "type":
      return typeName(value)
    case "opaque":
      return undefined
    default:
      return formatDecimal(value) ?? String(value)
  }
}

function typeName(value: Value): string {
  return (value as { readonly name: string }).name
}

/** Parts of lists and maps are written as literals. */
function formatPart(value: Value): string {
  switch (kindOf(value)) {
    case "string":
      return JSON.stringify(value)
    case "bytes":
      return `b${JSON.stringify(formatPlain(value))}`
    case "double":
      return Number.isFinite(doubleValue(value)) ? fixed(doubleValue(value), 6) : JSON.stringify(formatDouble(doubleValue(value)))
    case "timestamp":
    case "duration":
      return `${kindOf(value)}(${JSON.stringify(String(value))})`
    default:
      return formatPlain(value) ?? fail(`error during formatting: no formatting function for ${typeOf(value).name}`)
  }
}

function formatMap(map: AnyMap): string {
  countWork(mapSize(map))
  const pairs = mapKeys(map).map((key) => [formatPart(key), formatPart(mapGet(map, key) as Value)] as const)
  const sorted = pairs.toSorted(([left], [right]) => compareStrings(left, right))
  return `{${sorted.map(([key, value]) => `${key}:${value}`).join(", ")}}`
}

/** The texts that stand for doubles without digits. */
const words: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  "-Infinity": Number.NEGATIVE_INFINITY,
}

/** Go's printer reads no longer numbers: it finds no verb behind them. */
const longestNumber = 1_000_000
const unreadable = "%!(NOVERB)"

function readable(written: number): boolean {
  return Math.trunc(written / 10) <= longestNumber
}

function formatDoubleIn(value: Value, format: (number: number) => string): string | undefined {
  const number = isDouble(value) ? doubleValue(value) : typeof value === "string" && Object.hasOwn(words, value) ? words[value] : undefined
  if (number === undefined) return undefined
  if (Number.isNaN(number)) return "NaN"
  return Number.isFinite(number) ? format(number) : number > 0 ? "∞" : "-∞"
}

/** Go's printer of English keeps how many digits there are at most in 16 bits with a sign, and how many zeros there are at least in 8. */
function fixedInEnglish(value: number, precision: number): string {
  const [max, min] = [(precision << 16) >> 16, precision & 0xff]
  const [whole = "", fraction = ""] = (max < 0 ? plainDigits(value) : fixed(value, max)).split(".")
  const digits = withoutTrailingZeros(fraction).padEnd(min, "0")
  return digits === "" ? whole : `${whole}.${digits}`
}

/** Puts a comma between each three digits before the point. */
function grouped(digits: string): string {
  const [whole = "", fraction] = digits.split(".")
  const sign = whole.startsWith("-") ? "-" : ""
  const groups: string[] = []
  for (let end = whole.length; end > sign.length; end -= 3) groups.unshift(whole.slice(Math.max(sign.length, end - 3), end))
  return `${sign}${groups.join(",")}${fraction === undefined ? "" : `.${fraction}`}`
}

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹"

/** Writes an exponent as a raised power of ten. */
function superscript(digits: string): string {
  const [mantissa, exponent = ""] = digits.split("e")
  const raised = exponent
    .replace("+", "")
    .replace("-", "⁻")
    .replace(/\d/g, (digit) => superscripts[Number(digit)] as string)
  return `${mantissa}×10${raised}`
}
