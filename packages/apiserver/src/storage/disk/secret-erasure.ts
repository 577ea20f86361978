import type { Clock } from "@pilothouse/seams"
import type { State } from "../state.ts"
import type { Revision, Stored } from "../storage.ts"

/** Where the API keeps Secrets. */
const secrets = "/registry/secrets/"

/**
 * How long a value that is no longer current stays on the disk. Watches may go on from any change of the last five minutes, deletions included,
 * so it cannot be shorter than that.
 */
export const erasureDelay = 5 * 60_000

/**
 * Whether a write leaves a value of a Secret in the files that is not current any more: it deletes or replaces one, or is itself outdated.
 */
export function leavesOutdatedSecret(state: State, { key, revision }: Stored, deletes: boolean): boolean {
  return key.startsWith(secrets) && (deletes || state.get(key) !== undefined || revision <= state.compacted)
}

export interface SecretErasureOptions {
  readonly clock: Clock
  /** Begins the next log, so that this one has no change that is younger. */
  rotate(): void
  /** Removes the files up to the log that has this revision. Answers whether they are gone. */
  erase(revision: Revision): Promise<boolean>
}

/**
 * Removes values of Secrets from the disk that were deleted or replaced. The log alone would keep them until it is long enough to be worth a snapshot,
 * which on a small cluster is never.
 *
 * Invariant: at most one erasure is scheduled or under way, so a cluster whose Secrets change all the time writes one snapshot per delay;
 * without an outdated value there is no timer, and nothing is written.
 */
export class SecretErasure implements Disposable {
  readonly #options: SecretErasureOptions
  #timer: Disposable | undefined
  /** The newest outdated value that the scheduled erasure does not reach. */
  #next: Revision | undefined
  #disposed = false

  constructor(options: SecretErasureOptions) {
    this.#options = options
  }

  /** This revision has deleted or replaced a value. */
  add(revision: Revision): void {
    if (this.#disposed) return
    if (this.#timer !== undefined) {
      this.#next = revision
      return
    }
    this.#options.rotate()
    this.schedule(revision)
  }

  /** The same for a revision in a log that is not written any more. */
  schedule(revision: Revision): void {
    this.#timer = this.#options.clock.timer(erasureDelay, "erasure of outdated Secrets", () => void this.#erase(revision))
  }

  [Symbol.dispose](): void {
    this.#disposed = true
    this.#timer?.[Symbol.dispose]()
  }

  async #erase(revision: Revision): Promise<void> {
    const isGone = await this.#options.erase(revision)
    const next = this.#next ?? (isGone ? undefined : revision)
    this.#timer = undefined
    this.#next = undefined
    if (next !== undefined) this.add(next)
  }
}
