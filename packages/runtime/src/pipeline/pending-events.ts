import type { KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { HandlerEvent } from "./event-handler.ts"

/** How a present object has to be told; undefined: not at all. The stronger word wins. */
type CurrentEvent = Exclude<HandlerEvent["type"], "deleted"> | undefined

/** What a handler has taken and not ended yet. */
interface ActiveEvent {
  readonly event: HandlerEvent
  /** Deletions that were heard before it was taken: after another one it speaks of an object that is gone. */
  readonly deletions: number
}

/**
 * What one handler still has to be told of one object, which may be several objects one after the other under the same name.
 *
 * Always true between calls: every deletion that was heard and neither handled nor dropped stands in #gone or #failedGone, oldest first; no more
 * than `limit` stand in #failedGone; of states there is only the newest, which is read when it is told; what is in hand and fails is told again.
 */
export class PendingEvents {
  readonly #limit: number
  #deleted: KubeObject[] = []
  /** Deletions that failed for too long. They hold nothing up, and are tried again when something is heard. */
  #failedDeletions: KubeObject[] = []
  #current: CurrentEvent
  #deletions = 0
  #active: ActiveEvent | undefined
  /** Failed deletions that may be tried now. */
  #retriable = 0

  /** `limit`: failed deletions that are remembered. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Deletions that wait. Not those that failed: they may wait for ever, and nobody else with them. */
  get depth(): number {
    return this.#deleted.length
  }

  /** Whether something has to be told now. */
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

  /** It is time for another look, at what failed too. */
  resync(): void {
    this.#current = stronger(this.#current, "present")
    this.#retriable = this.#failedDeletions.length
  }

  /** The next thing to tell, given what the cache has under that name. */
  next(key: string, present: KubeObject | undefined): HandlerEvent | undefined {
    // A look that never came to an end left it behind.
    if (this.#active !== undefined) this.#restore(this.#active)
    const event = this.#next(key, present)
    this.#active = event && { event, deletions: this.#deletions }
    return event
  }

  /** What was taken is handled. */
  handled(): void {
    const active = this.#active?.event
    this.#active = undefined
    if (active?.type !== "deleted") return
    this.#deleted = this.#deleted.filter((object) => object !== active.object)
    this.#dropFailed(active.object)
  }

  /**
   * What was taken failed; `givenUp` when it is not to be tried again until something is heard.
   * Gives the failed deletion that is dropped where there are too many: the oldest.
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

  /** Nobody has heard of it yet: an object that was added is still to be told as added. */
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
