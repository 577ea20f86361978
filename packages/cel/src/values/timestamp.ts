import { Duration } from "./duration.ts"
import { withoutTrailingZeros } from "./text.ts"
import { fail } from "./value.ts"

/** The seconds of 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z. */
const minSeconds = -62_135_596_800
const maxSeconds = 253_402_300_799

const nanosecondsOfSecond = 1_000_000_000

/** A moment. Invariants: it is in the years 1 to 9999, and 0 ≤ nanoseconds < 10^9. */
export class Timestamp {
  /** Seconds since 1970. */
  readonly seconds: number
  readonly nanoseconds: number
  /** The zone that the text had, in minutes east of UTC; it only shows when the moment is written again. */
  readonly zoneMinutes: number

  private constructor(seconds: number, nanoseconds: number, zoneMinutes: number) {
    this.seconds = seconds
    this.nanoseconds = nanoseconds
    this.zoneMinutes = zoneMinutes
  }

  /** Returns the moment; fails outside the years 1 to 9999. */
  static of(seconds: number, nanoseconds: number, zoneMinutes = 0): Timestamp {
    if (!(seconds >= minSeconds && seconds <= maxSeconds)) fail("timestamp overflow")
    return new Timestamp(seconds, nanoseconds, zoneMinutes)
  }

  compare(other: Timestamp): number {
    return Math.sign(this.seconds - other.seconds || this.nanoseconds - other.nanoseconds)
  }

  add({ nanoseconds }: Duration): Timestamp {
    const total = BigInt(this.nanoseconds) + nanoseconds
    const second = BigInt(nanosecondsOfSecond)
    const rest = ((total % second) + second) % second
    return Timestamp.of(this.seconds + Number((total - rest) / second), Number(rest), this.zoneMinutes)
  }

  /** Returns how long before this moment the other one is. */
  since(other: Timestamp): Duration {
    const seconds = BigInt(this.seconds) - BigInt(other.seconds)
    const nanoseconds = seconds * BigInt(nanosecondsOfSecond) + BigInt(this.nanoseconds - other.nanoseconds)
    if (nanoseconds > 2n ** 63n - 1n || nanoseconds < -(2n ** 63n)) fail("integer overflow")
    return new Duration(nanoseconds)
  }

  /** The moment to the millisecond, for calendars. */
  toDate(): Date {
    return new Date(this.seconds * 1000 + Math.floor(this.nanoseconds / 1_000_000))
  }

  /** Writes the moment by RFC 3339 with as many fractional digits as it has. */
  toString(): string {
    const local = new Date((this.seconds + this.zoneMinutes * 60) * 1000).toISOString().replace(/^[+-]\d\d(?=\d{4}-)/, "")
    const fraction = this.nanoseconds === 0 ? "" : `.${withoutTrailingZeros(this.nanoseconds.toString().padStart(9, "0"))}`
    return `${local.slice(0, 19)}${fraction}${this.zone()}`
  }

  toJSON(): string {
    return this.toString()
  }

  private zone(): string {
    if (this.zoneMinutes === 0) return "Z"
    const minutes = Math.abs(this.zoneMinutes)
    const [hour, minute] = [Math.trunc(minutes / 60), minutes % 60].map((part) => part.toString().padStart(2, "0"))
    return `${this.zoneMinutes < 0 ? "-" : "+"}${hour}:${minute}`
  }
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/

/** Reads a moment by RFC 3339, of which Go lets an hour have one digit; returns undefined for anything else, fails outside the years 1 to 9999. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const [zoneHour, zoneMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)]
  if (zoneHour > 24 || zoneMinute > 60) return undefined
  const zoneMinutes = (match[8] === "-" ? -1 : 1) * (zoneHour * 60 + zoneMinute)
  const seconds = date.getTime() / 1000 + hour * 3600 + minute * 60 + second - zoneMinutes * 60
  const nanoseconds = Number((match[7] ?? "").slice(0, 9).padEnd(9, "0"))
  return Timestamp.of(seconds, nanoseconds, zoneMinutes + 0)
}
