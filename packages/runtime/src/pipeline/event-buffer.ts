import { type KubeObject, keyOf } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { Pausable } from "../controller/controller.ts"
import type { HandlerEvent } from "./event-handler.ts"

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

/** The event type of a present object; undefined: none is pending. The stronger type wins. */
type CurrentEvent = Exclude<HandlerEvent["type"], "deleted"> | undefined

/** An event that the handler is processing. */
interface ActiveEvent {
  readonly event: HandlerEvent
  /** Number of deletions before it started: after another one its object does not exist any more. */
  readonly deletions: number
}

/**
 * The pending events of one handler for one key, which may belong to several objects one after the other under the same name.
 *
 * Invariant: every deletion that is neither handled nor dropped is in #deleted or #failedDeletions, oldest first; no more
 * than `limit` are in #failedDeletions; of states only the newest is delivered, read at delivery; an active event that fails is delivered again.
 */
class PendingEvents {
  readonly #limit: number
  #deleted: KubeObject[] = []
  /** Deletions that failed for too long. They block nothing, and are retried at the next event. */
  #failedDeletions: KubeObject[] = []
  #current: CurrentEvent
  #deletions = 0
  #active: ActiveEvent | undefined
  /** Number of failed deletions that may be retried now. */
  #retriable = 0

  /** `limit`: failed deletions that are kept. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Number of waiting deletions, without failed ones: those may wait indefinitely and block nothing. */
  get depth(): number {
    return this.#deleted.length
  }

  /** Whether an event has to be delivered now. */
  get isWaiting(): boolean {
    return this.#deleted.length > 0 || this.#current !== undefined || this.#retriable > 0
  }

  get isEmpty(): boolean {
    return this.#deleted.length === 0 && this.#failedDeletions.length === 0 && this.#current === undefined && this.#active === undefined
  }

  add(change: Change): void {
    if (change.type === "deleted") {
      this.#deleted.push(change.object)
      this.#current = undefined
      this.#deletions++
    } else this.#current = stronger(this.#current, eventType(change))
    this.#retriable = this.#failedDeletions.length
  }

  /** Adds a resync: delivers the object as present and retries failed deletions. */
  resync(): void {
    this.#current = stronger(this.#current, "present")
    this.#retriable = this.#failedDeletions.length
  }

  /** Returns the next event to deliver, given the cached object of the key. */
  next(key: string, present: KubeObject | undefined): HandlerEvent | undefined {
    // Left by a reconcile that never ended.
    if (this.#active !== undefined) this.#restore(this.#active)
    const event = this.#next(key, present)
    this.#active = event && { event, deletions: this.#deletions }
    return event
  }

  /** Called when the active event is handled. */
  handled(): void {
    const active = this.#active?.event
    this.#active = undefined
    if (active?.type !== "deleted") return
    this.#deleted = this.#deleted.filter((object) => object !== active.object)
    this.#dropFailed(active.object)
  }

  /**
   * Called when the active event failed; `givenUp` when it is not retried until the next event.
   * Returns the oldest failed deletion where it is dropped because there are too many.
   */
  failed(givenUp: boolean): KubeObject | undefined {
    const active = this.#active
    this.#active = undefined
    if (active === undefined) return undefined
    this.#restore(active)
    const { event } = active
    if (!givenUp || event.type !== "deleted") return undefined
    this.#deleted = this.#deleted.filter((object) => object !== event.object)
    this.#dropFailed(event.object)
    this.#failedDeletions.push(event.object)
    return this.#dropOldest()
  }

  #next(key: string, present: KubeObject | undefined): HandlerEvent | undefined {
    const [deleted] = this.#deleted
    if (deleted !== undefined) return { type: "deleted", key, object: deleted }
    if (present !== undefined && (this.#current !== undefined || this.#retriable === 0)) {
      const type = this.#current ?? "present"
      this.#current = undefined
      return { type, key, object: present }
    }
    this.#current = undefined
    const [failed] = this.#retriable > 0 ? this.#failedDeletions : []
    return failed && { type: "deleted", key, object: failed }
  }

  /** The event was not handled: an added object is still delivered as added. */
  #restore({ event, deletions }: ActiveEvent): void {
    if (event.type === "deleted" || deletions !== this.#deletions) return
    this.#current = stronger(this.#current, event.type)
  }

  #dropOldest(): KubeObject | undefined {
    const [oldest] = this.#failedDeletions
    if (oldest === undefined || this.#failedDeletions.length <= this.#limit) return undefined
    this.#dropFailed(oldest)
    return oldest
  }

  #dropFailed(object: KubeObject): void {
    const before = this.#failedDeletions.length
    this.#failedDeletions = this.#failedDeletions.filter((one) => one !== object)
    if (this.#failedDeletions.length < before) this.#retriable = Math.max(0, this.#retriable - 1)
  }
}

function eventType(change: Change): CurrentEvent {
  if (change.type === "added") return "added"
  return change.type === "updated" ? "modified" : "present"
}

function stronger(one: CurrentEvent, other: CurrentEvent): CurrentEvent {
  const both = [one, other]
  return (["added", "modified", "present"] as const).find((word) => both.includes(word))
}
