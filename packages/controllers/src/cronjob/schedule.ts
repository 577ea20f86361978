import { milliseconds } from "@pilothouse/seams"
import { Cron } from "croner"
import { type CronField, parseCronFields, ScheduleFault } from "./cron-fields.ts"
import { isTimeZone } from "./time-zone.ts"

/** When runs are due. Moments are milliseconds since 1970. */
export interface Schedule {
  /** The first moment after this one; undefined when there is none, as on the 31st of February. */
  next(after: number): number | undefined
}

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
}

/** Throws a ScheduleFault. A zone that stands in the text ("TZ=Europe/Berlin 0 8 * * *") wins over the one that is given. */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  if (text === "") throw new ScheduleFault("empty spec string")
  const [, zone, rest = ""] = /^(?:CRON_)?TZ=(\S*)\s(.*)$/.exec(text) ?? []
  if (zone === undefined) return parseInZone(text, timeZone)
  if (zone !== "" && !isTimeZone(zone)) throw new ScheduleFault(`provided bad location ${zone}: unknown time zone ${zone}`)
  return parseInZone(rest.trim(), zone === "" ? "UTC" : zone)
}

function parseInZone(text: string, timeZone: string): Schedule {
  if (text.startsWith("@every ")) return everyOf(text)
  if (text.startsWith("@") && !Object.hasOwn(descriptors, text)) throw new ScheduleFault(`unrecognized descriptor: ${text}`)
  const pattern = parseCronFields(descriptors[text] ?? text)
    .map(patternOf)
    .join(" ")
  // Paused, and without a function to call: croner sets no timer. It asks for the time only where it is not told from when on to look.
  const cron = new Cron(pattern, { timezone: timeZone, paused: true, mode: "5-part" })
  return { next: (after) => cron.nextRun(new Date(after))?.getTime() }
}

/** A star has to stay one: of day of month and day of week both must match then, and else one is enough. */
function patternOf({ values, any }: CronField): string {
  return any ? "*" : values.join(",")
}

/** At least a second, and on the second. */
function everyOf(text: string): Schedule {
  const duration = text.slice("@every ".length)
  const every = Math.max(1000, Math.floor(durationOf(duration, text) / 1000) * 1000)
  return { next: (after) => Math.floor(after / 1000) * 1000 + every }
}

function durationOf(duration: string, text: string): number {
  try {
    return duration.startsWith("-") ? -milliseconds(duration.slice(1)) : milliseconds(duration.replace(/^\+/, ""))
  } catch (cause) {
    throw new ScheduleFault(`failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`, { cause })
  }
}
