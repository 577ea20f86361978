import { abortable, type Clock, PilothouseError, Semaphore, withTimeout } from "@pilothouse/seams"

/** The limits of calls to one cloud. */
export interface CloudCallsOptions {
  readonly clock: Clock
  /** Calls that begin at the same time. */
  readonly maxConcurrent: number
  /** Milliseconds after which a call releases its permit and goes on without it: a slow call must not block others. */
  readonly patience?: number
  /** Milliseconds one call may take. Shorter than a reconcile, so that its failure can still be recorded. */
  readonly timeout?: number
}

/**
 * Limits how many calls begin at once, and lets none wait for a slow one.
 * Invariant between calls: a call waits only while every permit is held; a permit is held for no longer than `patience`.
 */
export class CloudCalls {
  readonly #options: Required<CloudCallsOptions>
  readonly #semaphore: Semaphore

  constructor({ patience = 100, timeout = 270_000, ...options }: CloudCallsOptions) {
    this.#options = { patience, timeout, ...options }
    this.#semaphore = new Semaphore(options.maxConcurrent)
  }

  async run<T>(what: string, work: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
    const { clock, patience, timeout } = this.#options
    const error = () => new PilothouseError("TIMEOUT", `the cloud did not ${what} within ${timeout / 1000} s`)
    try {
      using permit = await this.#semaphore.acquire(outer)
      using _patience = clock.timer(patience, `place of ${what}`, () => permit[Symbol.dispose]())
      // A provider that does not heed its signal is not waited for.
      const call = (signal: AbortSignal) => abortable(work(signal), signal)
      return await withTimeout({ clock, timeout, name: what, signal: outer, error }, call)
    } catch (failed) {
      throw outer.aborted ? stopped(what) : failed
    }
  }
}

function stopped(what: string): PilothouseError {
  return new PilothouseError("ABORTED", `aborted while the cloud was to ${what}`)
}
