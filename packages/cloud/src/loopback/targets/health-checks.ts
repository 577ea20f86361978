import type { Clock } from "@pilothouse/seams"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import type { Counters } from "./counters.ts"
import { type Target, type Targets, targetName } from "./targets.ts"

/** The endpoints of one port of a Service, and how they are dialled. */
export interface HealthChecksOptions {
  readonly service: string
  readonly dialer: PodDialer
  readonly targets: Targets
  readonly counters: Counters
  readonly clock: Clock
}

/** Milliseconds between two checks of an endpoint that is down. */
const checkEvery = 1000
/** Milliseconds for an endpoint to accept a connection; after that the next one is tried. */
export const connectTimeout = 3000

/**
 * Checks endpoints that are ready by their readiness probe and refused a connection nevertheless: they are dialled every second, get no connection
 * before they answer, and get connections again at once. Endpoints that refuse none are not checked.
 * Invariant between calls: every endpoint in #down has one timer or one check under way, and is one of the targets, or was at its last check.
 */
export class HealthChecks {
  readonly #options: HealthChecksOptions
  readonly #down = new Map<string, Disposable>()
  readonly #stopped = new AbortController()
  /** How many the gauge counts as down. */
  #reported = 0

  constructor(options: HealthChecksOptions) {
    this.#options = options
  }

  /** Begins to check an endpoint that refused a connection. */
  failed(target: Target): void {
    const { targets } = this.#options
    if (!targets.has(target)) return
    targets.refused(target, Number.POSITIVE_INFINITY)
    if (this.#stopped.signal.aborted || this.#down.has(targetName(target))) return
    this.#later(target)
  }

  stop(): void {
    this.#stopped.abort()
    for (const timer of this.#down.values()) timer[Symbol.dispose]()
    this.#down.clear()
    this.#report()
  }

  #later(target: Target): void {
    const timer = this.#options.clock.timer(checkEvery, "a health check", () => void this.#check(target))
    this.#down.set(targetName(target), timer)
    this.#report()
  }

  async #check(target: Target): Promise<void> {
    const { targets, counters, service } = this.#options
    const isNeeded = () => !this.#stopped.signal.aborted && targets.has(target)
    const well = isNeeded() && (await this.#answers(target))
    // Stopped meanwhile: its Service may be gone, and with it what was counted.
    if (this.#stopped.signal.aborted) return
    if (isNeeded() && !well) return this.#later(target)
    if (well) {
      counters.recovered.add(1, { service })
      targets.recovered(target)
    }
    this.#down.delete(targetName(target))
    this.#report()
  }

  async #answers({ address, port }: Target): Promise<boolean> {
    const { dialer, clock } = this.#options
    const limit = new AbortController()
    using _limit = clock.timer(connectTimeout, "a health check takes too long", () => limit.abort())
    try {
      const connection = await dialer.dial(address, port, limit.signal)
      connection.on("error", () => {})
      connection.destroy()
      return true
    } catch {
      // A refused connection is the answer.
      return false
    }
  }

  #report(): void {
    this.#options.counters.down.add(this.#down.size - this.#reported, { service: this.#options.service })
    this.#reported = this.#down.size
  }
}
