import type { Reader } from "../../environment/environment.ts"
import { Duration, parseDuration } from "../../values/duration.ts"
import { parseTimestamp, Timestamp } from "../../values/timestamp.ts"
import { double, fail, type JsonObject, type Value } from "../../values/value.ts"
import { longTextsOncePerEvaluation, oncePerEvaluation } from "../../values/work.ts"
import { dateFault, localTimeFault } from "./go-times.ts"
import { readUrlBase64 } from "./url-base64.ts"

/** JSON does not tell 1 from 1.0; a schema of numbers makes both a double. */
export const readDouble: Reader = (value) => (typeof value === "number" ? double(value) : value)

/** Text in base64, as RFC 4648 writes it with padding. */
export const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Bytes are written in base64. */
export const readBytes: Reader = (value) => (typeof value === "string" ? bytesOf(value) : value)

const bytesOf = longTextsOncePerEvaluation(readUrlBase64)

/** A day is the moment at which it begins in UTC. */
export const readDate: Reader = (value) => {
  if (typeof value !== "string") return value
  const fault = dateFault(value)
  return (
    (fault === undefined ? parseTimestamp(`${value}T00:00:00Z`) : undefined) ?? fail(`Invalid date formatted string ${value}: ${fault}`)
  )
}

/** Moments are written by RFC 3339, or without a zone; no text is 1970. */
export const readDateTime: Reader = (value) => {
  if (typeof value !== "string") return value
  return parseDateTime(value) ?? fail(`Invalid date-time formatted string ${value}: ${localTimeFault(value)}`)
}

/** The hour can have one digit, and a comma can begin the fraction, of which nine digits count. */
const dateTime = /^(\d{4}-\d\d-\d\d)T(\d\d?)(:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)?$/

function parseDateTime(text: string): Timestamp | undefined {
  if (text === "") return Timestamp.of(0, 0)
  const [, day = "", hour = "", time = "", fraction = "", zone = "Z"] = dateTime.exec(text) ?? []
  if (localTimeFault(`${day}T${hour}${time}`) !== undefined) return undefined
  return parseTimestamp(`${day}T${hour.padStart(2, "0")}${time}${fraction && `.${fraction.slice(0, 9)}`}${zone}`)
}

/** The units that OpenAPI's durations have beside Go's. */
const longUnits: readonly (readonly [pattern: RegExp, nanoseconds: bigint])[] = [
  [/^(?:ns|nano.*)$/, 1n],
  [/^(?:us|µs|micro.*)$/, 1_000n],
  [/^(?:ms|milli.*)$/, 1_000_000n],
  [/^(?:s|sec.*)$/, 1_000_000_000n],
  [/^(?:m|min.*)$/, 60_000_000_000n],
  [/^(?:h|hr|hour.*)$/, 3_600_000_000_000n],
  [/^(?:d|day.*)$/, 86_400_000_000_000n],
  [/^(?:w|wk|week.*)$/, 604_800_000_000_000n],
]

/** Durations are Go's, or counts with longer units: `3 days`, `2w`. */
export const readDuration: Reader = (value) => {
  if (typeof value !== "string") return value
  return durationOf(value) ?? fail(`Invalid duration ${value}: unable to parse ${value} as duration`)
}

const durationOf = longTextsOncePerEvaluation((text) => parseDuration(text) ?? parseLongDuration(text))

function parseLongDuration(text: string): Duration | undefined {
  const words = text.match(/\d+|[A-Za-zµ]+/g) ?? []
  const parts = words.flatMap((word, index) => {
    const unit = longUnits.find(([pattern]) => pattern.test((words[index + 1] ?? "").toLowerCase()))
    return /^\d{1,18}$/.test(word) && unit ? [BigInt(word) * unit[1]] : []
  })
  return parts.length === 0 ? undefined : Duration.of(parts.reduce((sum, part) => sum + part, 0n))
}

/** Reads the items of a list; the list itself serves if none changes. An expression can select a list as often as it likes. */
export function readList(read: Reader): Reader {
  const readItems = oncePerEvaluation((list: readonly Value[]): Value => {
    const items = list.map(read)
    return items.every((item, index) => item === list[index]) ? list : items
  })
  return (value) => (Array.isArray(value) ? readItems(value) : value)
}

/** Reads the values of a map. */
export function readMap(read: Reader): Reader {
  const readEntries = oncePerEvaluation(
    (map: object): Value => Object.fromEntries(Object.entries(map as JsonObject).map(([key, item]) => [key, read(item)])),
  )
  return (value) => (typeof value === "object" && value !== null ? readEntries(value) : value)
}
