import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"

/**
 * Descriptors held open so that the storage can open a file while the process has no free one: a flood of connections takes every descriptor, and a log
 * that cannot go on in its next file would take no writes.
 *
 * A spare is released and used within one synchronous call: between two turns of the event loop a waiting connection would be accepted and take it.
 *
 * Invariant: at most `#size` spares are open, and none after `release`.
 */
export class DescriptorReserve {
  #size: number
  readonly #spares: number[] = []

  constructor(size: number) {
    this.#size = size
    this.refill()
  }

  /** Whether a spare is in use. */
  get isShort(): boolean {
    return this.#spares.length < this.#size
  }

  /** Opens a file with the descriptor of a spare. Undefined when there is none. */
  open(path: string, flags: string | number, mode: number): number | undefined {
    const spare = this.#spares.pop()
    if (spare === undefined) return undefined
    closeSync(spare)
    try {
      return openSync(path, flags, mode)
    } catch (error) {
      this.refill()
      throw error
    }
  }

  /** Closes a file and takes its descriptor as a spare where one is missing. */
  close(file: number): void {
    closeSync(file)
    this.refill()
  }

  /** Opens as many spares as are missing, or as many as can be had. */
  refill(): void {
    try {
      while (this.isShort) this.#spares.push(openSync(devNull, "r"))
    } catch {
      // No descriptor is free now: the next file that is closed gives one.
    }
  }

  /** Closes the spares for good. */
  release(): void {
    this.#size = 0
    for (const spare of this.#spares.splice(0)) closeSync(spare)
  }
}
