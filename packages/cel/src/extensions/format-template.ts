import { encodeUtf8 } from "../values/text.ts"
import type { Verb, Verbs } from "./format-string.ts"

/** A clause of a template, such as `%.2f`. */
export interface Clause {
  readonly kind: "clause"
  readonly verb: string
  readonly precision?: number
  /** What is wrong with its precision, in upstream's words. */
  readonly fault?: string
}

/** A part of a template; `end` is a percent sign with nothing after it. */
export type TemplatePart = { readonly kind: "text"; readonly text: string } | Clause | { readonly kind: "end" }

/** What upstream says of a template that ends with a percent sign. */
export const unexpectedEnd = "unexpected end of string"

/** Splits a template into texts and clauses. */
export function templateParts(template: string): TemplatePart[] {
  return Array.from(template.matchAll(/[^%]+|%%|%(?:\.([0-9]*))?([^])?/gu), ([text, precision, verb]): TemplatePart => {
    if (!text.startsWith("%") || text === "%%") return { kind: "text", text: text === "%%" ? "%" : text }
    if (text === "%") return { kind: "end" }
    return { kind: "clause", verb: verb ?? "", ...(precision !== undefined && readPrecision(precision, verb)) }
  })
}

/** More digits do not fit into 64 bits. */
const maxPrecision = 2n ** 63n - 1n

function readPrecision(digits: string, verb: string | undefined): Pick<Clause, "precision" | "fault"> {
  const converting = "error while converting precision to integer: strconv.Atoi: parsing"
  if (verb === undefined) return { fault: "could not find end of precision specifier" }
  if (digits === "") return { fault: `${converting} "": invalid syntax` }
  if (digits.length > 18 && (digits.length > 400 || BigInt(digits) > maxPrecision))
    return { fault: `${converting} "${digits}": value out of range` }
  return { precision: Number(digits) }
}

/** Returns the verb of a clause, or why there is none, in upstream's words. */
export function verbOf(table: Verbs, { verb, fault }: Clause): Verb | string {
  const unread = "could not parse formatting clause"
  if (fault !== undefined) return `${unread}: error while parsing precision: ${fault}`
  const known = Object.hasOwn(table, verb) ? table[verb] : undefined
  return known ?? `${unread}: unrecognized formatting clause "${firstByte(verb)}"`
}

/** Upstream reads a template byte by byte, and shows the byte as if it were a code point. */
function firstByte(text: string): string {
  return String.fromCharCode(encodeUtf8(text)[0] as number)
}

/** Says that a verb does not accept a type. */
export function refusal({ refuses }: Verb, typeName: string): string {
  return `error during formatting: ${refuses} ${typeName}`
}
