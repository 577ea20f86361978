import { type Clock, type Duration, PilothouseError, withTimeout } from "@pilothouse/seams"

export interface CallTimeoutOptions {
  readonly clock: Clock
  readonly timeout: Duration
  readonly signal?: AbortSignal
  /** "GET /v2.0/ports", for the message. */
  readonly what: string
}

/** Runs work that ends with its signal, and ends it with code TIMEOUT when the time is over. */
export function withCallTimeout<T>(
  { clock, timeout, signal, what }: CallTimeoutOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const error = (cause?: unknown) =>
    new PilothouseError("TIMEOUT", `expected an answer to ${what} within ${String(timeout)}, found none`, { cause })
  return withTimeout({ clock, timeout, name: `time limit of ${what}`, signal, error }, work)
}
