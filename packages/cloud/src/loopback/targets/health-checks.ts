import type { Clock } from "@pilothouse/seams"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import type { Counters } from "./counters.ts"
import { type Target, type Targets, targetName } from "./targets.ts"

export interface HealthChecksOptions {
  readonly service: string
  readonly dialer: PodDialer
  readonly targets: Targets
  readonly counters: Counters
  readonly clock: Clock
}

/** Milliseconds between two checks of an endpoint that is down. */
const checkEvery = 1000
/** Milliseconds in which an endpoint has to take a connection; the next one is tried then. */
export const connectTimeout = 3000

/**
 * Looks after endpoints that are ready by their readiness probe, and refused a connection nevertheless: they are asked every second, get no connection
 * before they answer, and then at once. Endpoints that nobody complains of are not bothered.
 * Always true between calls: every endpoint in #down has one timer or one check under way, and is one of the targets, or was when it was last asked.
 */
export class HealthChecks {
  readonly #options: HealthChecksOptions
  readonly #down = new Map<string, Disposable>()
  readonly #stopped = new AbortController()
  /** How many were told of as down. */
  #told = 0

  constructor(options: HealthChecksOptions) {
    this.#options = options
  }

  /** It refused a connection. */
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
    this.#tell()
  }

  #later(target: Target): void {
    const timer = this.#options.clock.timer(checkEvery, "a health check", () => void this.#check(target))
    this.#down.set(targetName(target), timer)
    this.#tell()
  }

  async #check(target: Target): Promise<void> {
    const { targets, counters, service } = this.#options
    const isWanted = () => !this.#stopped.signal.aborted && targets.has(target)
    const well = isWanted() && (await this.#answers(target))
    // Stopped meanwhile: its Service may be gone, and with it what was counted.
    if (this.#stopped.signal.aborted) return
    if (isWanted() && !well) return this.#later(target)
    if (well) {
      counters.recovered.add(1, { service })
      targets.recovered(target)
    }
    this.#down.delete(targetName(target))
    this.#tell()
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
      // That it does not is what was asked.
      return false
    }
  }

  #tell(): void {
    this.#options.counters.down.add(this.#down.size - this.#told, { service: this.#options.service })
    this.#told = this.#down.size
  }
}
