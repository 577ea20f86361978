import type { KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { HandlerEvent } from "./event-handler.ts"

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
export class PendingEvents {
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
