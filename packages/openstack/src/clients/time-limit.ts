import { abortWith, type Clock, type Duration, milliseconds, PilothouseError } from "@pilothouse/seams"

export interface TimeLimit {
  readonly clock: Clock
  readonly timeout: Duration
  readonly signal?: AbortSignal
  /** "GET /v2.0/ports", for the message. */
  readonly what: string
}

/** Runs work that ends with its signal, and ends it with code TIMEOUT when the time is over. */
export async function within<T>({ clock, timeout, signal, what }: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  let late = false
  using _listening = abortWith(stop, signal)
  using _timer = clock.timer(milliseconds(timeout), `time limit of ${what}`, () => {
    late = true
    stop.abort()
  })
  try {
    return await work(stop.signal)
  } catch (error) {
    if (late) throw new PilothouseError("TIMEOUT", `expected an answer to ${what} within ${String(timeout)}, found none`, { cause: error })
    throw error
  }
}
