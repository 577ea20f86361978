import { durationParts } from "@pilothouse/seams"

/** Which values a field allows. `any`: it was written with a star and does not restrict. */
export interface CronField {
  /** In ascending order; empty for a field of commas alone, which no moment fits. */
  readonly values: readonly number[]
  readonly any: boolean
}

/** Minute, hour, day of month, month, day of week. */
export type CronFields = readonly [CronField, CronField, CronField, CronField, CronField]

/** Moments that fit five fields, or (`@every`) moments at a distance in milliseconds. */
export type CronSchedule = { readonly fields: CronFields } | { readonly every: number }

/** Why a text is no schedule, in the words of the parser that Kubernetes uses (robfig/cron v3): people search for them. */
export class ScheduleFault extends Error {}

/** Characters. Upstream has no limit; the longest schedule that says something new has less than 500. */
export const maxScheduleLength = 1000

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names: readonly string[]
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const bounds: readonly [Bounds, Bounds, Bounds, Bounds, Bounds] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]

const descriptors: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
])

/**
 * Reads exactly what Kubernetes reads: five fields, a descriptor, or "@every" with a duration of Go; no time zone in front.
 * Takes linear time. Throws a ScheduleFault.
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") throw new ScheduleFault("empty spec string")
  if (text.length > maxScheduleLength)
    throw new ScheduleFault(`expected a schedule of at most ${maxScheduleLength} characters, found ${text.length}`)
  if (text.startsWith("@every ")) return { every: durationOf(text.slice("@every ".length), text) }
  const meant = text.startsWith("@") ? descriptors.get(text) : text
  if (meant === undefined) throw new ScheduleFault(`unrecognized descriptor: ${text}`)
  const fields = meant.split(goSpace).filter((field) => field !== "")
  if (fields.length !== 5) throw new ScheduleFault(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`)
  return { fields: bounds.map((of, at) => parseField(fields[at] ?? "", of)) as unknown as CronFields }
}

/** What Go's strings.Fields splits at. */
const goSpace = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/

function durationOf(duration: string, text: string): number {
  const unsigned = duration.replace(/^[+-]/, "")
  const parts = unsigned === "0" ? [] : durationParts(unsigned)
  if (parts === undefined) throw new ScheduleFault(`failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`)
  const sum = parts.reduce((total, part) => total + part.milliseconds, 0)
  return duration.startsWith("-") ? -sum : sum
}

function parseField(text: string, of: Bounds): CronField {
  const allowed = new Uint8Array(of.max + 1)
  let any = false
  // Parts without a character are passed over: "1,,2" is "1,2".
  for (const range of text.split(",")) if (range !== "" && allow(range, of, allowed)) any = true
  return { values: [...allowed.keys()].filter((value) => allowed[value] === 1), any }
}

/**
 * "*", "5", "1-5", "mon-fri", each with a step: "*\/10". A single number with a step goes on to the end: "5/15" is 5, 20, 35, 50.
 * Returns whether it is a star that does not restrict. What stands behind a star and a hyphen is not read.
 */
function allow(text: string, of: Bounds, allowed: Uint8Array): boolean {
  const [range = "", step, ...slashes] = text.split("/")
  const [low = "", high, ...hyphens] = range.split("-")
  const star = low === "*" || low === "?"
  const first = star ? of.min : numberOf(low, of)
  if (!star && hyphens.length > 0) throw new ScheduleFault(`too many hyphens: ${text}`)
  let last = star ? of.max : high === undefined ? first : numberOf(high, of)
  if (slashes.length > 0) throw new ScheduleFault(`too many slashes: ${text}`)
  const by = step === undefined ? 1 : wholeNumber(step)
  if (step !== undefined && high === undefined) last = of.max
  check(text, first, last, by, of)
  for (let value = first; value <= last; value += by) allowed[value] = 1
  return star && by === 1
}

function check(text: string, first: number, last: number, by: number, { min, max }: Bounds): void {
  if (first < min) throw new ScheduleFault(`beginning of range (${first}) below minimum (${min}): ${text}`)
  if (last > max) throw new ScheduleFault(`end of range (${last}) above maximum (${max}): ${text}`)
  if (first > last) throw new ScheduleFault(`beginning of range (${first}) beyond end of range (${last}): ${text}`)
  if (by === 0) throw new ScheduleFault(`step of range should be a positive number: ${text}`)
}

function numberOf(text: string, { min, names }: Bounds): number {
  const named = names.indexOf(text.toLowerCase())
  return named === -1 ? wholeNumber(text) : named + min
}

/** As Go's strconv.Atoi. */
function wholeNumber(text: string): number {
  const fault = (why: string) =>
    new ScheduleFault(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: ${why}`)
  if (!/^[+-]?\d+$/.test(text)) throw fault("invalid syntax")
  const value = BigInt(text.replace("+", ""))
  if (BigInt.asIntN(64, value) !== value) throw fault("value out of range")
  if (value < 0n) throw new ScheduleFault(`negative number (${value}) not allowed: ${text}`)
  return Number(value)
}
