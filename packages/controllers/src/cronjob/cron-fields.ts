/** Which values a field allows. `any`: it was written with a star, and does not restrict. */
export interface CronField {
  readonly values: readonly number[]
  readonly any: boolean
}

/** Minute, hour, day of month, month, day of week. */
export type CronFields = readonly [CronField, CronField, CronField, CronField, CronField]

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const bounds: readonly [Bounds, Bounds, Bounds, Bounds, Bounds] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]

/** Why a text is no schedule, in the words of the parser that Kubernetes uses: people search for them. */
export class ScheduleFault extends Error {}

/** Exactly what Kubernetes takes: croner takes more ("L", "5#2", 7 for Sunday), and less ("5/15"). */
export function parseCronFields(text: string): CronFields {
  const fields = text.split(/\s+/).filter((field) => field !== "")
  if (fields.length !== 5) throw new ScheduleFault(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`)
  return bounds.map((of, at) => parseField(fields[at] ?? "", of)) as unknown as CronFields
}

function parseField(text: string, of: Bounds): CronField {
  const ranges = text
    .split(",")
    .filter((range) => range !== "")
    .map((range) => parseRange(range, of))
  const values = new Set(ranges.flatMap((range) => range.values))
  return { values: [...values].sort((a, b) => a - b), any: ranges.some((range) => range.any) }
}

/** "*", "5", "1-5", "mon-fri", each with a step: "*\/10". A single number with a step goes on to the end: "5/15" is 5, 20, 35, 50. */
function parseRange(text: string, of: Bounds): CronField {
  const [range = "", step, ...slashes] = text.split("/")
  const [low = "", high, ...hyphens] = range.split("-")
  if (slashes.length > 0) throw new ScheduleFault(`too many slashes: ${text}`)
  const any = low === "*" || low === "?"
  if (!any && hyphens.length > 0) throw new ScheduleFault(`too many hyphens: ${text}`)
  const first = any ? of.min : numberOf(low, of)
  const by = step === undefined ? 1 : wholeNumber(step)
  const open = any || (high === undefined && step !== undefined)
  const last = open ? of.max : high === undefined ? first : numberOf(high, of)
  check(text, first, last, by, of)
  const values = Array.from({ length: Math.floor((last - first) / by) + 1 }, (_, at) => first + at * by)
  return { values, any: any && by === 1 }
}

function check(text: string, first: number, last: number, by: number, { min, max }: Bounds): void {
  if (first < min) throw new ScheduleFault(`beginning of range (${first}) below minimum (${min}): ${text}`)
  if (last > max) throw new ScheduleFault(`end of range (${last}) above maximum (${max}): ${text}`)
  if (first > last) throw new ScheduleFault(`beginning of range (${first}) beyond end of range (${last}): ${text}`)
  if (by === 0) throw new ScheduleFault(`step of range should be a positive number: ${text}`)
}

function numberOf(text: string, { min, names = [] }: Bounds): number {
  const named = names.indexOf(text.toLowerCase())
  return named === -1 ? wholeNumber(text) : named + min
}

function wholeNumber(text: string): number {
  if (/^\+?\d+$/.test(text)) return Number(text)
  if (/^-\d+$/.test(text)) throw new ScheduleFault(`negative number (${text}) not allowed: ${text}`)
  throw new ScheduleFault(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
}
