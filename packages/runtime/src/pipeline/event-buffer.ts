import { type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { Pausable } from "../controller/controller.ts"
import { PendingEvents } from "./pending-events.ts"

/**
 * The pending events of one handler by key.
 *
 * Invariant: there is an entry exactly for the keys with waiting, active or failed events; the source is paused exactly
 * while the deletions of a key have reached the limit; as many failed ones are kept in addition, and block nothing.
 */
export class EventBuffer {
  readonly #depth: number
  readonly #pending = new Map<string, PendingEvents>()
  /** The keys of present objects. */
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

  /** The keys to resync. */
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

  /** Returns the pending events of a key, a new entry where there is none. */
  of(key: string): PendingEvents {
    const known = this.#pending.get(key)
    if (known !== undefined) return known
    const pending = new PendingEvents(this.#depth)
    this.#pending.set(key, pending)
    return pending
  }

  /** Must be called after the entry of a key was changed. */
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
      // Last: waiting changes are delivered at once and may fill an entry again.
      pause?.[Symbol.dispose]()
    }
  }
}
