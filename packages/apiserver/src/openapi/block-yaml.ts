import { stringifyJson } from "@pilothouse/seams"

/** Words and numbers that a reader of YAML takes for something else than a text. */
const reserved = /^(?:true|True|TRUE|false|False|FALSE|null|Null|NULL|~|<<)$/
const numeric = /^[-+]?(?:\d[\d_]*|0x[\da-f_]+|0o[0-7_]+|0b[01_]+|\.\d+(?:e[-+]?\d+)?|\d+\.\d*(?:e[-+]?\d+)?|\d+e[-+]?\d+|\.inf|\.nan)$/i
const date = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]|$)/
/** What cannot stand without quotes: a sign of YAML at the start, a space at an end, or what would end a key or begin a comment. */
const quotedStart = /^(?:[#,[\]{}&*!|>'"%@` ]|[-?:](?: |$)|---|\.\.\.)/
const quotedInside = /: |:$| #| $/

/**
 * A JSON value as lines of YAML, the way Go's library writes it. The yaml library writes an empty text as two single quotes, where Go writes two double
 * ones, and needs a document of nodes for each of the thousands of values.
 */
export function blockYaml(value: unknown): string {
  return `${linesOf(value, 0).join("\n")}\n`
}

/** The lines of a value that begins at a column. What an entry holds begins at the next column that four divides. */
function linesOf(value: unknown, column: number): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? ["[]"] : value.flatMap((item) => itemLines(item, column))
  if (typeof value !== "object" || value === null) return [scalar(value)]
  const entries = Object.entries(value)
  return entries.length === 0 ? ["{}"] : entries.flatMap((entry) => entryLines(entry, column))
}

function itemLines(item: unknown, column: number): readonly string[] {
  return linesOf(item, column + 2).map((line, index) => `${index === 0 ? "- " : "  "}${line}`)
}

function entryLines([key, value]: [string, unknown], column: number): readonly string[] {
  if (!isBlock(value)) return [`${scalar(key)}: ${linesOf(value, column)[0]}`]
  const inner = 4 * Math.floor(column / 4) + 4
  return [`${scalar(key)}:`, ...linesOf(value, inner).map((line) => `${" ".repeat(inner - column)}${line}`)]
}

function isBlock(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0
}

function scalar(value: unknown): string {
  if (typeof value !== "string" || value === "" || /\p{Cc}/u.test(value) || isOtherType(value)) return stringifyJson(value)
  return quotedStart.test(value) || quotedInside.test(value) ? `'${value.replaceAll("'", "''")}'` : value
}

function isOtherType(text: string): boolean {
  return reserved.test(text) || numeric.test(text) || date.test(text)
}
