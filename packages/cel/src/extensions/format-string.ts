import type { Type, TypeKind } from "../types/types.ts"
import { fixed, scientific } from "../values/decimal-digits.ts"
import { plainDigits } from "../values/doubles.ts"
import { compareStrings } from "../values/equality.ts"
import { isDouble, isInt, kindOf, typeOf } from "../values/kinds.ts"
import { type AnyMap, mapGet, mapKeys, mapSize } from "../values/maps.ts"
import { encodeUtf8 } from "../values/text.ts"
import { Timestamp } from "../values/timestamp.ts"
import { doubleValue, fail, Uint, type Value } from "../values/value.ts"
import { countText, countWork } from "../values/work.ts"
import { type Clause, refusal, templateParts, unexpectedEnd, verbOf } from "./format-template.ts"

/** Fills the clauses of a template with arguments in their order, for example `'%s: %.2f'.format(['pi', 3.14159])`. */
export function formatString(template: string, args: readonly Value[]): string {
  return fillTemplate(template, args, verbs)
}

/** What a verb makes of an argument; undefined for one that it does not accept. The precision is the default one where the clause has none. */
export type Format = (value: Value, precision: number, isPrecise: boolean) => string | undefined

/** A verb of templates. */
export interface Verb {
  readonly format: Format
  /** The types that it accepts when an expression is checked. */
  readonly accepts: readonly TypeKind[]
  /** What it says, in upstream's words, of an argument that it does not accept; the type follows. */
  readonly refuses: string
}

/** The verbs of templates by their letters. */
export type Verbs = Readonly<Record<string, Verb>>

/** What the verb `s` accepts. */
export const plainKinds: readonly TypeKind[] = [
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "list",
  "map",
  "null",
  "string",
  "timestamp",
  "type",
  "uint",
]

/** Fills a template by a table of verbs. */
export function fillTemplate(template: string, args: readonly Value[], table: Verbs): string {
  let filled = ""
  let used = 0
  for (const part of templateParts(template)) {
    if (part.kind === "text") {
      filled += part.text
      continue
    }
    if (used >= args.length) fail(`index ${used} out of range`)
    if (part.kind === "end") fail(unexpectedEnd)
    const text = formatClause(table, part, args[used++] as Value)
    countText(text.length)
    filled += text
  }
  return filled
}

/** What each verb accepts, in upstream's words. */
export const verbs: Verbs = {
  s: {
    format: formatPlain,
    accepts: plainKinds,
    refuses:
      "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given",
  },
  d: {
    format: formatDecimal,
    accepts: ["double", "int", "uint"],
    refuses: "decimal clause can only be used on ints, uints, and doubles, was given",
  },
  f: {
    format: (value, precision) => formatNumber(value, (number) => fixed(number, precision)),
    accepts: ["double", "int", "uint"],
    refuses: "fixed-point clause can only be used on ints, uints, and doubles, was given",
  },
  e: {
    format: (value, precision) => formatNumber(value, (number) => scientific(number, precision)),
    accepts: ["double", "int", "uint"],
    refuses: "scientific clause can only be used on ints, uints, and doubles, was given",
  },
  b: {
    format: (value) => (typeof value === "boolean" ? String(Number(value)) : inBase(value, 2)),
    accepts: ["bool", "int", "uint"],
    refuses: "only ints, uints, and bools can be formatted as binary, was given",
  },
  x: {
    format: formatHex,
    accepts: ["bytes", "int", "string", "uint"],
    refuses: "only ints, uints, bytes, and strings can be formatted as hex, was given",
  },
  X: {
    format: (value) => formatHex(value)?.toUpperCase(),
    accepts: ["bytes", "int", "string", "uint"],
    refuses: "only ints, uints, bytes, and strings can be formatted as hex, was given",
  },
  o: {
    format: (value) => inBase(value, 8),
    accepts: ["int", "uint"],
    refuses: "octal clause can only be used on ints and uints, was given",
  },
}

const defaultPrecision = 6

/** Texts of a million digits are of no use, and more could fill any memory. */
const maxPrecision = 1_000_000

function formatClause(table: Verbs, clause: Clause, value: Value): string {
  const verb = verbOf(table, clause)
  if (typeof verb === "string") return fail(verb)
  const { precision = defaultPrecision } = clause
  if (precision > maxPrecision && table === verbs) fail(`expected a precision of at most ${maxPrecision} in a format, found ${precision}`)
  return verb.format(value, precision, clause.precision !== undefined) ?? fail(refusal(verb, typeOf(value).name))
}

function infinity(value: number): string | undefined {
  if (Number.isNaN(value)) return "NaN"
  return Number.isFinite(value) ? undefined : value > 0 ? "Infinity" : "-Infinity"
}

function formatPlain(value: Value): string | undefined {
  switch (kindOf(value)) {
    case "bytes":
      return new TextDecoder().decode(value as Uint8Array)
    case "list":
      countWork((value as readonly Value[]).length)
      return `[${(value as readonly Value[]).map((item) => formatItem(item)).join(", ")}]`
    case "map":
      return formatMap(value as AnyMap)
    case "type":
      return (value as Type).name
    case "timestamp": {
      const { seconds, nanoseconds } = value as Timestamp
      return Timestamp.of(seconds, nanoseconds).toString()
    }
    case "opaque":
      return undefined
    default:
      return formatDecimal(value) ?? String(value)
  }
}

function formatItem(value: Value): string {
  return formatClause(verbs, { kind: "clause", verb: "s" }, value)
}

/** Entries are sorted by their keys' texts. */
function formatMap(map: AnyMap): string {
  countWork(mapSize(map))
  const entries = mapKeys(map).map((key) => [formatItem(key), formatItem(mapGet(map, key) as Value)] as const)
  const sorted = entries.toSorted(([left], [right]) => compareStrings(left, right))
  return `{${sorted.map(([key, value]) => `${key}: ${value}`).join(", ")}}`
}

function formatDecimal(value: Value): string | undefined {
  if (isInt(value)) return value.toString()
  if (value instanceof Uint) return value.value.toString()
  if (!isDouble(value)) return undefined
  const number = doubleValue(value)
  return infinity(number) ?? plainDigits(number)
}

function formatNumber(value: Value, format: (number: number) => string): string | undefined {
  const number = isInt(value)
    ? Number(value)
    : value instanceof Uint
      ? Number(value.value)
      : isDouble(value)
        ? doubleValue(value)
        : undefined
  return number === undefined ? undefined : (infinity(number) ?? format(number))
}

/** Writes an integer in a base. */
export function inBase(value: Value, base: number): string | undefined {
  if (isInt(value)) return value.toString(base)
  return value instanceof Uint ? value.value.toString(base) : undefined
}

/** Writes an integer, or each byte of a text or bytes, in hexadecimal digits. */
export function formatHex(value: Value): string | undefined {
  const bytes = typeof value === "string" ? encodeUtf8(value) : value
  if (!(bytes instanceof Uint8Array)) return inBase(value, 16)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
