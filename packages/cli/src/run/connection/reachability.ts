import { type Clock, formatDuration, type Log, logTo, messageOf, PilothouseError, type Transport } from "@pilothouse/seams"

export interface Reachability {
  /** Notices whether the server answers. */
  layer(transport: Transport): Transport
  /** While the server does not, thirty controllers say so again and again: what they say of it is for those who debug. */
  readonly log: Log
}

export interface ReachabilityOptions {
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds for which one that leads may go without the server; undefined without leader election. */
  readonly renewDeadline?: number
}

/** Milliseconds after which it is said again that the server is not there; each time twice as long, up to five minutes. */
const firstReminder = 10_000
const maxReminder = 300_000

interface Absence {
  readonly since: number
  sayAgainAt: number
  reminder: number
  /** What was said of requests that were lost meanwhile; the newest. */
  readonly errors: Set<string>
}

/** Errors that are remembered: each names its request, and there are only so many at once. */
const maxErrors = 1000

/** Tells people once that the API server cannot be reached, now and then that it still cannot, and when it can. */
export function reachability({ clock, log, renewDeadline }: ReachabilityOptions): Reachability {
  const unlessLeading =
    renewDeadline === undefined ? "" : `, but a leader ends ${formatDuration(renewDeadline)} after it last renewed its lease`
  let absence: Absence | undefined
  const lost = (error: string) => {
    const now = clock.elapsed()
    if (absence === undefined) {
      absence = { since: now, sayAgainAt: now + firstReminder, reminder: firstReminder, errors: new Set() }
      log.warn(`the API server cannot be reached; everything goes on once it can${unlessLeading}`, { error })
    } else if (now >= absence.sayAgainAt) {
      absence.reminder = Math.min(2 * absence.reminder, maxReminder)
      absence.sayAgainAt = now + absence.reminder
      log.warn("still waiting for the API server", { for: inWords(now - absence.since) })
    }
    const { errors } = absence
    errors.delete(error)
    errors.add(error)
    if (errors.size > maxErrors) for (const oldest of errors.keys().take(1)) errors.delete(oldest)
  }
  const found = () => {
    if (absence !== undefined) log.info("the API server can be reached", { after: inWords(clock.elapsed() - absence.since) })
    absence = undefined
  }
  return {
    layer: (transport) => async (request) => {
      try {
        const response = await transport(request)
        found()
        return response
      } catch (error) {
        if (isConnectionLost(error) && !request.signal?.aborted) lost(messageOf(error))
        throw error
      }
    },
    log: logTo(({ level, message, fields }) => {
      // Clouds and webhooks may fail at the same time, and no other message reports them.
      const isEcho = level === "warn" && absence?.errors.values().some((error) => String(fields.error).includes(error))
      log[isEcho ? "debug" : level](message, fields)
    }),
  }
}

function isConnectionLost(error: unknown): boolean {
  return error instanceof PilothouseError && error.code === "CONNECTION_LOST"
}

function inWords(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1000) * 1000)
}
