import type { Clock, Transport } from "@pilothouse/seams"
import { shortDuration } from "../durations.ts"

/** Milliseconds that two clocks may be apart: the header has whole seconds, and took its time to come. */
const maxSkew = 5000

export interface ServerTime {
  /** Milliseconds since 1970, by the clock of the server. */
  readonly now: number
  /** Where the clock of this machine is wrong. */
  readonly note?: string
}

/** Returns the time of the API server: ages and what is left would be wrong by how far this machine's clock is off. */
export async function serverTime(transport: Transport, clock: Clock): Promise<ServerTime> {
  const date = await dateOf(transport)
  const now = clock.now()
  const skew = date === undefined ? 0 : date - now
  if (Math.abs(skew) <= maxSkew) return { now }
  const apart = `${shortDuration(Math.abs(skew))} ${skew > 0 ? "behind" : "ahead of"}`
  return {
    now: now + skew,
    note: `the clock of this machine is ${apart} the server's, which is used for the times here; "pilothouse doctor" says what to do`,
  }
}

async function dateOf(transport: Transport): Promise<number | undefined> {
  try {
    const { headers } = await transport({ verb: "GET", path: "/version", query: {}, headers: {} })
    const date = Date.parse(headers.date ?? "")
    return Number.isNaN(date) ? undefined : date
  } catch {
    // It is only asked for the time: later requests report what is wrong.
    return undefined
  }
}
