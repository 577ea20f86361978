import { durationParts, fitsInt64 } from "@pilothouse/seams"

/** Whether a text is a day of the calendar: "2006-01-02". */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  // Days that a month does not have move into the next one.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}

/** The way nearly all moments are written; the rest takes a calendar. */
const commonForm = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/

/** Whether a text is a moment: a date, "t" and a time of the day with a zone, in any case. */
export function isDateTime(text: string): boolean {
  if (commonForm.test(text)) return true
  const [date = "", time] = text.toLowerCase().split("t")
  if (time === undefined || !isDate(date)) return false
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/u.exec(time)
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59"
}

/** Units by the beginning of their longest name; each also has short ones. */
const units: readonly { readonly short: readonly string[]; readonly long: string }[] = [
  { short: ["ns"], long: "nano" },
  { short: ["us", "µs"], long: "micro" },
  { short: ["ms"], long: "milli" },
  { short: ["s"], long: "sec" },
  { short: ["m"], long: "min" },
  { short: ["h", "hr"], long: "hour" },
  { short: ["d"], long: "day" },
  { short: ["w", "wk"], long: "week" },
]

/** Whether a text is a duration as Go writes it ("1h30m"), or has one in words somewhere ("2 days"). */
export function isDuration(text: string): boolean {
  const unsigned = text.replace(/^[+-]/, "")
  if (unsigned === "0" || durationParts(unsigned)?.every(({ whole }) => isInt64(whole))) return true
  let isFound = false
  for (const { count, unit } of amounts(text)) {
    if (!isInt64(count)) return false
    isFound ||= isUnit(unit.toLowerCase())
  }
  return isFound
}

function isInt64(digits: string): boolean {
  const significant = digits.replace(/^0*/, "")
  return significant.length <= 19 && fitsInt64(BigInt(significant))
}

function isUnit(word: string): boolean {
  return units.some(({ short, long }) => word.startsWith(long) || short.includes(word))
}

/** The numbers of a text that letters come after. Goes through the text once, however many digits stand together. */
function* amounts(text: string): Iterable<{ readonly count: string; readonly unit: string }> {
  let at = 0
  while (at < text.length) {
    const start = at
    at = endOf(text, at, isDigit)
    const digits = text.slice(start, at)
    if (digits === "") {
      at++
      continue
    }
    const unitStart = endOf(text, at, isSpace)
    const unitEnd = endOf(text, unitStart, isLetter)
    if (unitEnd > unitStart) yield { count: digits, unit: text.slice(unitStart, unitEnd) }
    at = Math.max(unitEnd, unitStart)
  }
}

function endOf(text: string, start: number, isPart: (character: string) => boolean): number {
  let at = start
  while (at < text.length && isPart(text[at]!)) at++
  return at
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9"
}

function isSpace(character: string): boolean {
  return /^[\t\n\f\r ]$/.test(character)
}

function isLetter(character: string): boolean {
  return /^[A-Za-zµ]$/.test(character)
}
