import { type Log, messageOf, type PilothouseError } from "@pilothouse/seams"
import type { Revision, WriteRefusal } from "../storage.ts"
import { diskFull, isDiskFull, writeFailed, writeFault } from "./failures.ts"
import type { Segments } from "./segments.ts"

export interface LogWriterOptions {
  readonly directory: string
  readonly segments: Segments
  readonly log: Log
}

/**
 * Appends to the log, takes back what failed, and says so: once when writes begin to be refused and once when they are taken again, not for each.
 *
 * Always true between calls: `refusal` is that of the newest write; what was half written has been taken back, or `#torn` says that it could not be.
 */
export class LogWriter {
  readonly #options: LogWriterOptions
  #refusal: WriteRefusal | undefined
  #torn = false

  constructor(options: LogWriterOptions) {
    this.#options = options
  }

  get refusal(): WriteRefusal | undefined {
    return this.#refusal
  }

  readonly write = async (text: string, last: Revision | undefined): Promise<void> => {
    const { segments, log, directory } = this.#options
    try {
      await (last === undefined ? segments.reserve() : segments.append(text, last))
    } catch (error) {
      await segments.abandon().catch((second: unknown) => {
        this.#torn = true
        log.warn("what failed could not be taken back", { error: messageOf(second) })
      })
      throw error
    }
    if (this.#refusal !== undefined) log.warn("there is room on the disk again: writes are taken", { directory })
    this.#refusal = undefined
  }

  readonly failed = (cause: unknown): PilothouseError => {
    const { directory, log } = this.#options
    const failure = writeFailed(directory, cause)
    const refusal = { reason: isDiskFull(cause) ? diskFull : writeFault, lasts: this.lasts(cause) }
    if (refusal.reason !== this.#refusal?.reason || refusal.lasts !== this.#refusal.lasts) log.error(failure.message)
    this.#refusal = refusal
    return failure
  }

  /** A full disk may have room for the next one. */
  readonly lasts = (cause: unknown): boolean => this.#torn || !isDiskFull(cause)
}
