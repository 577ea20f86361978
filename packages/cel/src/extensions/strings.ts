import { type CostRule, traversalCost, unitCost } from "../cost/cost-rule.ts"
import { unbounded } from "../cost/interval.ts"
import type { Library } from "../environment/environment.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import { displayValue } from "../values/display.ts"
import { findLastText, findText, splitText } from "../values/search-text.ts"
import { codePointLength, codePoints } from "../values/text.ts"
import { fail, type Value } from "../values/value.ts"
import { countReading, countText, countWork } from "../values/work.ts"
import { checkTemplates } from "./check-templates.ts"
import { formatString, verbs } from "./format-string.ts"
import { englishVerbs, formatStringInEnglish } from "./format-string-english.ts"

type Int = number | bigint

/** Positions count code points; a text of plain characters is not split. */
function slice(text: string, start: number, end?: number): string {
  const points = codePoints(text)
  return typeof points === "string" ? points.slice(start, end) : points.slice(start, end).join("")
}

function outOfRange(index: Int): never {
  return fail(`index out of range: ${index}`)
}

function charAt(text: string, index: Int): string {
  const position = Number(index)
  countReading(text.length)
  if (position < 0 || position > codePointLength(text)) outOfRange(index)
  return slice(text, position, position + 1)
}

function indexOf(text: string, part: string, offset: Int = 0): Int {
  if (part === "") return offset
  if (Number(offset) < 0) outOfRange(offset)
  return findFrom(text, part, Number(offset), 1)
}

function lastIndexOf(text: string, part: string, offset?: Int): Int {
  const length = codePointLength(text)
  if (part === "") return offset ?? length
  if (offset === undefined) return length === 0 ? -1 : findFrom(text, part, length - 1, -1)
  if (Number(offset) < 0) outOfRange(offset)
  return Number(offset) >= length ? -1 : findFrom(text, part, Number(offset), -1)
}

/** Finds a part from an offset on, forwards or backwards, in code points. */
function findFrom(text: string, part: string, offset: number, direction: 1 | -1): number {
  const points = codePoints(text)
  const from = typeof points === "string" ? offset : points.slice(0, offset).join("").length
  const found = direction === 1 ? findText(text, part, from) : findLastText(text, part, from)
  return typeof points === "string" || found < 0 ? found : codePointLength(text.slice(0, found))
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function upperAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
}

/** Replaces the first `limit` occurrences; a negative limit replaces all. An empty part occurs around each character. */
function replace(text: string, part: string, by: string, limit: Int = -1): string {
  const count = Number(limit)
  if (part === "") return interleave(text, by, count < 0 ? Number.POSITIVE_INFINITY : count)
  const pieces = splitText(text, part)
  countText(text.length + Math.min(pieces.length - 1, count < 0 ? Number.POSITIVE_INFINITY : count) * by.length)
  if (count < 0) return pieces.join(by)
  const head = pieces.slice(0, count + 1)
  const rest = pieces.slice(count + 1)
  return rest.length === 0 ? head.join(by) : `${head.join(by)}${part}${rest.join(part)}`
}

function interleave(text: string, by: string, count: number): string {
  const characters = Array.from(text)
  countText(text.length + Math.min(characters.length + 1, count) * by.length)
  const pieces = characters.map((character, index) => (index < count ? by + character : character))
  return pieces.join("") + (characters.length < count ? by : "")
}

/** Splits into at most `limit` pieces, the last of which is the rest; a negative limit splits everywhere. */
function split(text: string, separator: string, limit: Int = -1): readonly string[] {
  const count = Number(limit)
  if (count === 0) return []
  const pieces = separator === "" ? Array.from(text) : splitText(text, separator)
  if (count < 0 || pieces.length <= count) return pieces
  return [...pieces.slice(0, count - 1), pieces.slice(count - 1).join(separator)]
}

function substring(text: string, start: Int, end?: Int): string {
  const length = codePointLength(text)
  const from = Number(start)
  if (end !== undefined && from > Number(end)) fail(`invalid substring range. start: ${start}, end: ${end}`)
  if (from < 0 || from > length) outOfRange(start)
  if (end !== undefined && Number(end) > length) outOfRange(end)
  return slice(text, from, end === undefined ? undefined : Number(end))
}

/** What Go counts as white space. */
const space = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/

function trim(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && space.test(text[start] as string)) start++
  while (end > start && space.test(text[end - 1] as string)) end--
  return text.slice(start, end)
}

function join(list: readonly Value[], separator = ""): string {
  countWork(list.length)
  let length = separator.length * list.length
  for (const item of list) {
    if (typeof item !== "string") fail(`join: invalid input: ${displayValue(item)}`)
    length += (item as string).length
  }
  countText(length)
  return list.join(separator)
}

const quoted: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
}

function quote(text: string): string {
  return `"${text.toWellFormed().replace(/[\x07\b\f\n\r\t\v\\"]/g, (character) => quoted[character] as string)}"`
}

/** Upstream doubles a size without a bound past what 64 bits hold, and comes to 0. */
const quoteCost: CostRule = traversalCost(0, 0, ({ min, max }) => ({ min: min + 2, max: max >= unbounded ? 0 : max * 2 + 2 }))

const rows: readonly OverloadRow[] = [
  {
    id: "string_char_at_int",
    name: "charAt",
    method: "(string, int) -> string",
    evaluate: charAt,
    cost: unitCost,
    example: "'añ😀'.charAt(2) == '😀'",
    failure: ["'abc'.charAt(4)", "index out of range: 4"],
  },
  {
    id: "string_index_of_string",
    name: "indexOf",
    method: "(string, string) -> int",
    evaluate: indexOf,
    cost: unitCost,
    example: "'abcb'.indexOf('b') == 1",
  },
  {
    id: "string_index_of_string_int",
    name: "indexOf",
    method: "(string, string, int) -> int",
    evaluate: indexOf,
    cost: unitCost,
    example: "'abcb'.indexOf('b', 2) == 3",
    failure: ["'abc'.indexOf('b', -1)", "index out of range: -1"],
  },
  {
    id: "string_last_index_of_string",
    name: "lastIndexOf",
    method: "(string, string) -> int",
    evaluate: lastIndexOf,
    cost: unitCost,
    example: "'abcb'.lastIndexOf('b') == 3",
  },
  {
    id: "string_last_index_of_string_int",
    name: "lastIndexOf",
    method: "(string, string, int) -> int",
    evaluate: lastIndexOf,
    cost: unitCost,
    example: "'abcb'.lastIndexOf('b', 2) == 1",
    failure: ["'abc'.lastIndexOf('b', -1)", "index out of range: -1"],
  },
  {
    id: "string_lower_ascii",
    name: "lowerAscii",
    method: "(string) -> string",
    evaluate: lowerAscii,
    cost: unitCost,
    example: "'AÉ'.lowerAscii() == 'aÉ'",
  },
  {
    id: "string_upper_ascii",
    name: "upperAscii",
    method: "(string) -> string",
    evaluate: upperAscii,
    cost: unitCost,
    example: "'aé'.upperAscii() == 'Aé'",
  },
  {
    id: "string_replace_string_string",
    name: "replace",
    method: "(string, string, string) -> string",
    evaluate: replace,
    cost: unitCost,
    example: "'aba'.replace('a', 'c') == 'cbc'",
  },
  {
    id: "string_replace_string_string_int",
    name: "replace",
    method: "(string, string, string, int) -> string",
    evaluate: replace,
    cost: unitCost,
    example: "'aba'.replace('a', 'c', 1) == 'cba'",
  },
  {
    id: "string_split_string",
    name: "split",
    method: "(string, string) -> list(string)",
    evaluate: split,
    cost: unitCost,
    example: "'a,b'.split(',') == ['a', 'b']",
  },
  {
    id: "string_split_string_int",
    name: "split",
    method: "(string, string, int) -> list(string)",
    evaluate: split,
    cost: unitCost,
    example: "'a,b,c'.split(',', 2) == ['a', 'b,c']",
  },
  {
    id: "string_substring_int",
    name: "substring",
    method: "(string, int) -> string",
    evaluate: substring,
    cost: unitCost,
    example: "'abc'.substring(1) == 'bc'",
    failure: ["'abc'.substring(4)", "index out of range: 4"],
  },
  {
    id: "string_substring_int_int",
    name: "substring",
    method: "(string, int, int) -> string",
    evaluate: substring,
    cost: unitCost,
    example: "'abc'.substring(1, 2) == 'b'",
    failure: ["'abc'.substring(2, 1)", "invalid substring range. start: 2, end: 1"],
  },
  { id: "string_trim", name: "trim", method: "(string) -> string", evaluate: trim, cost: unitCost, example: "' a\\t'.trim() == 'a'" },
  {
    id: "strings_quote",
    name: "strings.quote",
    function: "(string) -> string",
    evaluate: quote,
    cost: quoteCost,
    example: String.raw`strings.quote('a"b\n') == '"a\\"b\\n"'`,
  },
  {
    id: "list_join",
    name: "join",
    method: "(list(string)) -> string",
    evaluate: join,
    cost: unitCost,
    example: "['a', 'b'].join() == 'ab'",
  },
  {
    id: "list_join_string",
    name: "join",
    method: "(list(string), string) -> string",
    evaluate: join,
    cost: unitCost,
    example: "['a', 'b'].join('-') == 'a-b'",
    failure: ["[dyn('a'), dyn(1)].join('-')", "join: invalid input: 1"],
  },
]

function formatRow(evaluate: typeof formatString, refusal: string): OverloadRow {
  const message = `error during formatting: decimal clause can only be used on ${refusal}, was given string`
  return {
    id: "string_format",
    name: "format",
    method: "(string, list(dyn)) -> string",
    evaluate,
    cost: traversalCost(0, 0),
    example: "'%s is %d'.format(['a', 1]) == 'a is 1'",
    failure: ["'%d'.format([dyn('a')])", message],
  }
}

const reverse: OverloadRow = {
  id: "string_reverse",
  name: "reverse",
  method: "(string) -> string",
  evaluate(text: string) {
    countText(text.length)
    return Array.from(text).reverse().join("")
  },
  cost: unitCost,
  example: "'abc'.reverse() == 'cba'",
}

/** cel-go's strings library, version 2, which Kubernetes has. */
export const stringsLibrary: Library = {
  name: "strings",
  overloads: defineOverloads([...rows, formatRow(formatStringInEnglish, "integers")]),
  checks: [checkTemplates(englishVerbs)],
}

/** cel-go's strings library, version 4: it adds `reverse`, and `format` writes numbers without a language. */
export const newestStringsLibrary: Library = {
  name: "strings, version 4",
  overloads: defineOverloads([...rows, formatRow(formatString, "ints, uints, and doubles"), reverse]),
  checks: [checkTemplates(verbs)],
}
