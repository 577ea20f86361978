import { type Clock, onAbort, PilothouseError } from "@pilothouse/seams"

export interface CloudCallsOptions {
  readonly clock: Clock
  /** Calls that are begun at once. */
  readonly atOnce: number
  /** Milliseconds after which a call gives its place to the next one, and goes on without it: a slow cloud must not hold others up. */
  readonly patience?: number
  /** Milliseconds one call may take. Shorter than a reconcile, so that its end can still be told. */
  readonly longest?: number
}

/**
 * Lets only so many calls begin at once, and none wait for a slow one.
 * Always true between calls: somebody waits only while every place is taken; a place is taken for no longer than `patience`.
 */
export class CloudCalls {
  readonly #options: Required<CloudCallsOptions>
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor({ patience = 100, longest = 270_000, ...options }: CloudCallsOptions) {
    this.#options = { patience, longest, ...options }
    this.#free = options.atOnce
  }

  async run<T>(what: string, work: (signal: AbortSignal) => Promise<T>, outer: AbortSignal): Promise<T> {
    await this.#place()
    const { clock, patience, longest } = this.#options
    const giveBack = this.#giveBackOnce()
    if (outer.aborted) {
      giveBack()
      throw stopped(what)
    }
    using _patience = clock.timer(patience, `place of ${what}`, giveBack)
    const limit = new AbortController()
    const failed = Promise.withResolvers<never>()
    const late = new PilothouseError("TIMEOUT", `the cloud did not ${what} within ${longest / 1000} s`)
    const end = (reason: unknown) => {
      limit.abort(reason)
      failed.reject(reason)
    }
    using _limit = clock.timer(longest, what, () => end(late))
    using _outer = onAbort(outer, () => end(stopped(what)))
    try {
      // A provider that does not heed its signal is not waited for.
      return await Promise.race([work(limit.signal), failed.promise])
    } finally {
      giveBack()
    }
  }

  #place(): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return Promise.resolve()
    }
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  #giveBackOnce(): () => void {
    let given = false
    return () => {
      if (given) return
      given = true
      const next = this.#waiting.shift()
      if (next === undefined) this.#free++
      else next()
    }
  }
}

function stopped(what: string): PilothouseError {
  return new PilothouseError("ABORTED", `told to stop while the cloud was to ${what}`)
}
