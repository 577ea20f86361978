/** One part of a layout of Go's: its text, what reads it, and the range of its number. */
interface Part {
  readonly layout: string
  /** Matches at the beginning of the rest of the text. */
  readonly pattern: RegExp
  readonly range?: readonly [name: string, least: number, most: number]
}

const literal = (layout: string): Part => ({ layout, pattern: layout === "-" ? /^(-)/ : layout === ":" ? /^(:)/ : /^(T)/ })
const twoDigits = /^(\d\d)/

const dateParts: readonly Part[] = [
  { layout: "2006", pattern: /^(\d{4})/ },
  literal("-"),
  { layout: "01", pattern: twoDigits, range: ["month", 1, 12] },
  literal("-"),
  { layout: "02", pattern: twoDigits },
]

const dateTimeParts: readonly Part[] = [
  ...dateParts,
  literal("T"),
  { layout: "15", pattern: /^(\d\d?)/, range: ["hour", 0, 23] },
  literal(":"),
  { layout: "04", pattern: twoDigits, range: ["minute", 0, 59] },
  literal(":"),
  { layout: "05", pattern: /^(\d\d)(?:[.,]\d+)?/, range: ["second", 0, 59] },
]

/** What Go reads of a date, or of a date and a time without a zone, at the beginning of a text. */
interface Reading {
  readonly rest: string
  readonly numbers: readonly number[]
}

/** Says why Go does not read a text as a date, in its words; undefined for one that it reads. */
export function dateFault(text: string): string | undefined {
  return faultOf(text, dateParts)
}

/** Says why Go does not read a text as a date and a time without a zone, in its words; undefined for one that it reads. */
export function localTimeFault(text: string): string | undefined {
  return faultOf(text, dateTimeParts)
}

function faultOf(text: string, parts: readonly Part[]): string | undefined {
  const reading = read(text, parts)
  if (typeof reading === "string") return reading
  const { rest, numbers } = reading
  if (rest !== "") return `parsing time ${quote(text)}: extra text: ${quote(rest)}`
  const [year = 0, month = 1, day = 0] = numbers
  return day < 1 || day > daysIn(year, month) ? `parsing time ${quote(text)}: day out of range` : undefined
}

function read(text: string, parts: readonly Part[]): Reading | string {
  const layout = parts.map((part) => part.layout).join("")
  const numbers: number[] = []
  let rest = text
  for (const part of parts) {
    const found = part.pattern.exec(rest)
    if (!found) return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(rest)} as ${quote(part.layout)}`
    const number = Number(found[1])
    const [name, least, most] = part.range ?? ["", number, number]
    if (number < least || number > most) return `parsing time ${quote(text)}: ${name} out of range`
    if (!Number.isNaN(number)) numbers.push(number)
    rest = rest.slice(found[0].length)
  }
  return { rest, numbers }
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

/** Quotes a text as Go's errors of times do: what is no printable character of ASCII is written by its bytes. */
function quote(text: string): string {
  const quoted = Array.from(new TextEncoder().encode(text), (byte) => {
    if (byte >= 0x80 || byte < 0x20) return `\\x${byte.toString(16).padStart(2, "0")}`
    const character = String.fromCharCode(byte)
    return character === '"' || character === "\\" ? `\\${character}` : character
  })
  return `"${quoted.join("")}"`
}
