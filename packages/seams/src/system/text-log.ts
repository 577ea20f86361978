import type { Clock } from "../clock/clock.ts"
import { messageOf } from "../errors/errors.ts"
import { stringifyJson } from "../json/exact-json.ts"
import { type Log, type LogLevel, logTo } from "../telemetry/log.ts"

/** Lines for people, on standard error by default; with a clock each begins with the time of day. Never throws: what cannot be shown is shown as its type. */
export function textLog(minLevel: LogLevel = "info", write: (text: string) => void = toStandardError, clock?: Pick<Clock, "now">): Log {
  return logTo(({ level, message, fields }) => {
    const details = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`)
    const time = clock === undefined ? "" : `${timeOfDay(clock.now())} `
    write(`${time}${level.padEnd(5)} ${message}${details.join("")}\n`)
  }, minLevel)
}

/** "09:00:00.123", in UTC as everything that the API says. */
function timeOfDay(now: number): string {
  const day = 86_400_000
  const [hours, minutes, seconds] = [3_600_000, 60_000, 1000].map((unit) => Math.floor((now % day) / unit))
  const two = (number: number) => String(number % 60).padStart(2, "0")
  return `${two(hours!)}:${two(minutes!)}:${two(seconds!)}.${String(Math.floor(now) % 1000).padStart(3, "0")}`
}

function toStandardError(text: string): void {
  process.stderr.write(text)
}

function shown(value: unknown): string {
  if (typeof value === "string") return plainWord.test(value) ? value : JSON.stringify(value)
  if (value instanceof Error) return JSON.stringify(messageOf(value))
  try {
    return stringifyJson(value) ?? String(value)
  } catch {
    // A circle: a log line is not worth an exception in its caller.
    return `[${typeof value}]`
  }
}

/** What needs no quotes to stay one word on one line. */
const plainWord = /^[^\s"=]+$/
