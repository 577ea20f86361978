import type { ProcessUse } from "./system/spawn.ts"

/** Milliseconds between two measurements: metrics-server's. */
export const measureEvery = 15_000

interface Measured extends ProcessUse {
  readonly at: number
}

/**
 * How much of a CPU a process uses, from how much it has used so far: over the last whole period, or since its start while there was none.
 * Invariant between calls: #before is older than #last, where there is one.
 */
export class ProcessMeter {
  #before: Measured
  #last: Measured | undefined

  constructor(startedAt: number) {
    this.#before = { at: startedAt, cpu: 0, memory: 0 }
  }

  take(use: ProcessUse, at: number): void {
    if (at <= (this.#last ?? this.#before).at) return
    if (this.#last !== undefined) this.#before = this.#last
    this.#last = { ...use, at }
  }

  /** Cores and bytes. `use` is asked where nothing was measured yet; one that has just begun has no rate. */
  usage(use: () => ProcessUse | undefined, now: number): ProcessUse | undefined {
    const last = this.#last ?? measured(use(), now)
    if (last === undefined || last.at <= this.#before.at) return undefined
    // The usage of a child that was not waited for is lost with it.
    const cpu = Math.max(0, last.cpu - this.#before.cpu) / ((last.at - this.#before.at) / 1000)
    return { cpu, memory: last.memory }
  }
}

function measured(use: ProcessUse | undefined, at: number): Measured | undefined {
  return use && { ...use, at }
}
