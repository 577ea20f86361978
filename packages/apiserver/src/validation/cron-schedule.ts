interface CronField {
  readonly min: number
  readonly max: number
  readonly names?: readonly string[]
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

const fields: readonly CronField[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: months },
  { min: 0, max: 6, names: days },
]

const descriptors = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \d+(\.\d+)?(ns|us|µs|ms|s|m|h).*)$/

/** Why a text is no schedule, in the words of the parser that cron jobs use upstream; undefined when it is one. */
export function scheduleFault(schedule: string): string | undefined {
  if (schedule.startsWith("@")) return descriptors.test(schedule) ? undefined : `unrecognized descriptor: ${schedule}`
  const parts = schedule.split(/\s+/).filter((part) => part !== "")
  if (parts.length !== 5) return `expected exactly 5 fields, found ${parts.length}: [${parts.join(" ")}]`
  for (const [index, part] of parts.entries()) {
    for (const range of part.split(",")) {
      const fault = rangeFault(range, fields[index]!)
      if (fault !== undefined) return fault
    }
  }
  return undefined
}

/** "*", "5", "1-5", "* / 10" without the blanks, "mon-fri". */
function rangeFault(text: string, field: CronField): string | undefined {
  const [range = "", step, ...rest] = text.split("/")
  if (rest.length > 0) return `too many slashes: ${text}`
  const [low = "", high, ...more] = range.split("-")
  if (more.length > 0) return `too many hyphens: ${text}`
  const any = low === "*" || low === "?"
  const start = any ? field.min : numberOf(low, field)
  const end = high !== undefined ? numberOf(high, field) : any ? field.max : start
  if (start === undefined || end === undefined) return `failed to parse int from ${start === undefined ? low : high}`
  return stepFault(step, text) ?? boundsFault(start, end, field, text)
}

function stepFault(step: string | undefined, text: string): string | undefined {
  if (step === undefined) return undefined
  if (!/^\d+$/.test(step)) return `failed to parse int from ${step}`
  return Number(step) === 0 ? `step of range should be a positive number: ${text}` : undefined
}

function boundsFault(start: number, end: number, field: CronField, text: string): string | undefined {
  if (start < field.min) return `beginning of range (${start}) below minimum (${field.min}): ${text}`
  if (end > field.max) return `end of range (${end}) above maximum (${field.max}): ${text}`
  return start > end ? `beginning of range (${start}) beyond end of range (${end}): ${text}` : undefined
}

function numberOf(text: string, { min, names }: CronField): number | undefined {
  const named = names?.indexOf(text.toLowerCase()) ?? -1
  if (named >= 0) return named + min
  return /^\d+$/.test(text) ? Number(text) : undefined
}
