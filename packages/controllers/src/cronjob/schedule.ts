import { type CronField, type CronFields, parseCronSchedule, ScheduleFault } from "@pilothouse/api"
import { Cron } from "croner"

/** When runs are due. Moments are milliseconds since 1970. */
export interface Schedule {
  /** The first moment after this one; undefined when there is none, as on the 31st of February. */
  next(after: number): number | undefined
}

/** Schedules that have been read, by zone and text: a CronJob is reconciled many times between two edits. Bounded; the oldest leaves first. */
const read = new Map<string, Schedule>()
const maxRead = 1000

/** Throws a ScheduleFault. A zone that stands in the text ("TZ=Europe/Berlin 0 8 * * *") wins over the one that is given. */
export function parseSchedule(text: string, timeZone = "UTC"): Schedule {
  const [, zone, rest = ""] = /^(?:CRON_)?TZ=(\S*)\s(.*)$/.exec(text) ?? []
  if (zone === undefined) return parseInZone(text, timeZone)
  if (zone !== "" && !isTimeZone(zone)) throw new ScheduleFault(`provided bad location ${zone}: unknown time zone ${zone}`)
  return parseInZone(rest.trim(), zone === "" ? "UTC" : zone)
}

function parseInZone(text: string, timeZone: string): Schedule {
  const key = `${timeZone} ${text}`
  const known = read.get(key)
  if (known !== undefined) return known
  const parsed = parseCronSchedule(text)
  const schedule = "every" in parsed ? everySchedule(parsed.every) : fieldSchedule(parsed.fields, timeZone)
  for (const oldest of read.keys()) {
    if (read.size < maxRead) break
    read.delete(oldest)
  }
  read.set(key, schedule)
  return schedule
}

function fieldSchedule(fields: CronFields, timeZone: string): Schedule {
  if (fields.some(({ values }) => values.length === 0)) return { next: () => undefined }
  // Paused, and without a function to call: croner sets no timer. It reads the clock only where no starting time is passed.
  const cron = new Cron(fields.map(cronPattern).join(" "), { timezone: timeZone, paused: true, mode: "5-part" })
  return { next: (after) => advanced(after, (from) => cron.nextRun(new Date(from))?.getTime()) }
}

/** The last moment that an API server can write. */
const lastMoment = Date.UTC(9999, 11, 31, 23, 59, 59)

/**
 * A status is the user's to write, so `after` may lie in the year 1, where croner never ends: it takes the years 0 to 99 for 1900 to 1999.
 * No run is due before 1970 or after 9999, and none that does not lie after `after` is one: a caller that steps from run to run would not end.
 */
function advanced(after: number, find: (from: number) => number | undefined): number | undefined {
  if (!(after < lastMoment)) return undefined
  const run = find(Math.max(0, after))
  return run !== undefined && run > after && run <= lastMoment ? run : undefined
}

/** A star has to stay one: of day of month and day of week both must match then, and else one is enough. */
function cronPattern({ values, any }: CronField): string {
  return any ? "*" : values.join(",")
}

/** At least a second, and on the second. */
function everySchedule(milliseconds: number): Schedule {
  const every = Math.max(1000, Math.floor(milliseconds / 1000) * 1000)
  return { next: (after) => advanced(after, (from) => Math.floor(from / 1000) * 1000 + every) }
}

/** Reports whether the time zone is known. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    // How Intl says that it does not know a zone.
    return false
  }
}

/** A moment as a clock in the zone shows it: "2026-01-05T13:00:00+01:00", with Z where the zone is at UTC. */
export function formatInZone(moment: number, timeZone: string): string {
  const clock = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  })
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, value]))
  // "GMT+01:00"; at UTC "GMT" in some versions of the data and "GMT+00:00" in others.
  const offset = (parts["timeZoneName"] ?? "").replace("GMT", "").replace("+00:00", "") || "Z"
  const date = `${String(parts["year"]).padStart(4, "0")}-${parts["month"]}-${parts["day"]}`
  return `${date}T${parts["hour"]}:${parts["minute"]}:${parts["second"]}${offset.slice(0, 6)}`
}
