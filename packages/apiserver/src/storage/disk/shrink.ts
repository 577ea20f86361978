import { join } from "node:path"
import { type Log, messageOf } from "@pilothouse/seams"
import type { State } from "../state.ts"
import type { Revision } from "../storage.ts"
import type { Disk } from "./disk.ts"
import { isDeviceError } from "./failures.ts"
import { fileName } from "./names.ts"
import type { Segment, Segments } from "./segments.ts"
import { type Snapshot, writeSnapshot } from "./snapshot.ts"

export interface ShrinkerOptions {
  readonly disk: Disk
  readonly directory: string
  readonly state: State
  readonly segments: Segments
  readonly log: Log
  /** So much in outdated logs is worth a snapshot. */
  readonly worthwhile: number
  isOwner(): boolean
  /** Called when the device could not write: no sync of this storage means anything after that. */
  failed(cause: unknown): void
}

/** So many outdated logs are, too: short runs leave short ones. */
const manyLogs = 16

/**
 * Keeps the log from growing: when its outdated part has outgrown what a snapshot costs, it writes the snapshot and removes that part.
 * So the disk holds at most the objects twice, and the history that is kept; starting reads that much.
 *
 * Invariant: the files on the disk give the whole state from `compacted` on, whatever of this was done.
 */
export class Shrinker {
  readonly #options: ShrinkerOptions
  #snapshot: Snapshot
  /** Numbers of snapshots that a newer one has replaced and that are still on the disk. */
  readonly #replaced = new Set<number>()
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: ShrinkerOptions, snapshot: Snapshot) {
    this.#options = options
    this.#snapshot = snapshot
  }

  /** Never throws: a log that is too long is not worth failing for. */
  shrink(): Promise<void> {
    this.#running ??= this.#shrink((outdated) => this.#isWorthwhile(outdated)).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** The same, however little the outdated logs hold: something in them must not stay. Answers whether those up to this revision are gone. */
  async erase(upTo: Revision): Promise<boolean> {
    await this.#running
    this.#running ??= this.#shrink((outdated) => outdated.length > 0).finally(() => {
      this.#running = undefined
    })
    await this.#running
    return this.#options.segments.old.every(({ last }) => last > upTo)
  }

  /** Gives up what is under way: the next run does it. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  #isWorthwhile(outdated: readonly Segment[]): boolean {
    const bytes = outdated.reduce((sum, { size }) => sum + size, 0)
    return outdated.length >= manyLogs || bytes >= Math.max(this.#options.worthwhile, this.#snapshot.size)
  }

  async #shrink(isDue: (outdated: readonly Segment[]) => boolean): Promise<void> {
    const { signal } = this.#stopping
    const { disk, directory, state, segments, log, isOwner, failed } = this.#options
    const outdated = segments.old.filter(({ last }) => last <= state.compacted)
    if (signal.aborted || !isDue(outdated) || !isOwner()) return
    const number = outdated.at(-1)!.number + 1
    try {
      // Taken in one instant; written while others write on.
      const { items } = state.list("", { at: state.compacted })
      const size = await writeSnapshot(disk, join(directory, fileName("snapshot", number)), { revision: state.compacted, items, signal })
      // The files of a directory that has another owner are not this process' to remove.
      if (isOwner()) await this.#replace({ number, size }, outdated)
    } catch (error) {
      if (signal.aborted) return
      if (isDeviceError(error)) failed(error)
      log.warn("the log of the storage could not be shortened; it is tried again", { directory, error: messageOf(error) })
    }
  }

  async #replace(snapshot: Snapshot, outdated: readonly Segment[]): Promise<void> {
    const { disk, directory, segments } = this.#options
    if (this.#snapshot.number > 0) this.#replaced.add(this.#snapshot.number)
    this.#snapshot = snapshot
    // After a removal that failed, the next snapshot may have the same number.
    this.#replaced.delete(snapshot.number)
    // Before the logs: `erase` answers by the logs, and the replaced snapshot may hold the same values.
    for (const number of this.#replaced) {
      await disk.remove(join(directory, fileName("snapshot", number)))
      this.#replaced.delete(number)
    }
    for (const { number } of outdated) {
      await disk.remove(join(directory, fileName("log", number)))
      segments.forget(number)
    }
  }
}
