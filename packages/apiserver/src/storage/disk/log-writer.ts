import { type Log, messageOf, type PilothouseError } from "@pilothouse/seams"
import type { Revision, WriteRefusal } from "../storage.ts"
import { type Fault, faultOf, lastsFor, OwnershipLost, refusalReasons, writeFailed } from "./failures.ts"
import type { Segments } from "./segments.ts"

export interface LogWriterOptions {
  readonly directory: string
  readonly segments: Segments
  readonly log: Log
  isOwner(): boolean
}

/** What is logged when writes are taken again. */
const recoveries: Readonly<Partial<Record<Fault, string>>> = {
  full: "there is room on the disk again: writes are taken",
  exhausted: "the system has resources again: writes are taken",
}

/**
 * Appends to the log, truncates partial writes, and logs failures: once when writes begin to be refused and once when they are accepted again.
 *
 * Invariant: `#fault` is that of the newest write; a partial write has been truncated, or is before the next write, or `#torn` says
 * that it cannot be.
 */
export class LogWriter {
  readonly #options: LogWriterOptions
  #fault: Fault | undefined
  #torn = false

  constructor(options: LogWriterOptions) {
    this.#options = options
  }

  get refusal(): WriteRefusal | undefined {
    return this.#fault === undefined ? undefined : { reason: refusalReasons[this.#fault], lasts: this.#torn || lastsFor(this.#fault) }
  }

  readonly write = async (text: string, last: Revision | undefined): Promise<void> => {
    const { segments, log, directory } = this.#options
    try {
      await (last === undefined ? segments.reserve() : segments.append(text, last))
    } catch (error) {
      this.#requireOwner()
      await segments.abandon().catch((second: unknown) => {
        this.#torn ||= lastsFor(faultOf(second))
        log.warn("a partial write could not be truncated", { error: messageOf(second) })
      })
      throw error
    }
    // Behind the write, not before it: a later owner has read what is acknowledged here, or finds it refused.
    this.#requireOwner()
    if (this.#fault !== undefined) log.warn(recoveries[this.#fault] ?? "writes are taken", { directory })
    this.#fault = undefined
  }

  readonly failed = (cause: unknown): PilothouseError => {
    const { directory, log } = this.#options
    const failure = writeFailed(directory, cause)
    const fault = faultOf(cause)
    if (fault !== this.#fault) log.error(failure.message)
    this.#fault = fault
    return failure
  }

  /** A full disk may have room for the next one, and a descriptor may be free. */
  readonly lasts = (cause: unknown): boolean => this.#torn || lastsFor(faultOf(cause))

  #requireOwner(): void {
    if (!this.#options.isOwner()) throw new OwnershipLost("expected this process to be the owner, found that another one has taken over")
  }
}
