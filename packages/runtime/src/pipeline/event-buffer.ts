import { type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { Pausable } from "../controller/controller.ts"
import { PendingEvents } from "./pending-events.ts"

/**
 * The lanes of one handler, by the key of the object.
 *
 * Always true between calls: there is a lane exactly for the keys that have something to be told, in hand, or failed; the source is held exactly
 * while in a lane as many deletions wait as may; of those that failed as many again are remembered, and hold nothing.
 */
export class EventBuffer {
  readonly #depth: number
  readonly #pending = new Map<string, PendingEvents>()
  /** Of the objects that are there. */
  readonly #present = new Set<string>()
  readonly #full = new Set<string>()
  #source: Pausable | undefined
  #pause: Disposable | undefined

  constructor(depth: number) {
    this.#depth = depth
  }

  get size(): number {
    return this.#pending.size
  }

  /** Everything that may be looked at again. */
  get keys(): readonly string[] {
    return [...new Set([...this.#present, ...this.#pending.keys()])]
  }

  attached(source: Pausable): void {
    this.#source = source
  }

  restart(): void {
    this.#pending.clear()
    this.#present.clear()
    this.#full.clear()
    this.#updatePause()
  }

  add(change: Change<KubeObject>): void {
    const key = keyOf(change.object)
    if (change.type === "deleted") this.#present.delete(key)
    else this.#present.add(key)
    const pending = this.#pending.get(key) ?? new PendingEvents(this.#depth)
    this.#pending.set(key, pending)
    pending.add(change)
    this.#update(key, pending)
  }

  /** The lane of a key; a new one where there is nothing to tell yet. */
  of(key: string): PendingEvents {
    const known = this.#pending.get(key)
    if (known !== undefined) return known
    const pending = new PendingEvents(this.#depth)
    this.#pending.set(key, pending)
    return pending
  }

  /** To be called after a lane was changed. */
  update(key: string): void {
    const pending = this.#pending.get(key)
    if (pending !== undefined) this.#update(key, pending)
  }

  #update(key: string, pending: PendingEvents): void {
    if (pending.depth >= this.#depth) this.#full.add(key)
    else this.#full.delete(key)
    if (pending.isEmpty) this.#pending.delete(key)
    this.#updatePause()
  }

  #updatePause(): void {
    if (this.#full.size > 0) this.#pause ??= this.#source?.pause()
    else {
      const pause = this.#pause
      this.#pause = undefined
      // Last: what waits is told at once, and may fill a lane again.
      pause?.[Symbol.dispose]()
    }
  }
}
