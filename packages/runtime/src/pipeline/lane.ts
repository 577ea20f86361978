import type { KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"
import type { HandlerEvent } from "./event-handler.ts"

/** How a present object has to be told; undefined: not at all. The stronger word wins. */
type Here = Exclude<HandlerEvent["type"], "deleted"> | undefined

/** What a handler has taken and not ended yet. */
interface InHand {
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
export class Lane {
  readonly #limit: number
  #gone: KubeObject[] = []
  /** Deletions that failed for too long. They hold nothing up, and are tried again when something is heard. */
  #failedGone: KubeObject[] = []
  #here: Here
  #deletions = 0
  #inHand: InHand | undefined
  /** Failed deletions that may be tried now. */
  #tryAgain = 0

  /** `limit`: failed deletions that are remembered. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Deletions that wait. Not those that failed: they may wait for ever, and nobody else with them. */
  get depth(): number {
    return this.#gone.length
  }

  /** Whether something has to be told now. */
  get isWaiting(): boolean {
    return this.#gone.length > 0 || this.#here !== undefined || this.#tryAgain > 0
  }

  get isEmpty(): boolean {
    return this.#gone.length === 0 && this.#failedGone.length === 0 && this.#here === undefined && this.#inHand === undefined
  }

  heard(change: Change): void {
    if (change.type === "deleted") {
      this.#gone.push(change.object)
      this.#here = undefined
      this.#deletions++
    } else this.#here = stronger(this.#here, wordOf(change))
    this.#tryAgain = this.#failedGone.length
  }

  /** It is time for another look, at what failed too. */
  look(): void {
    this.#here = stronger(this.#here, "present")
    this.#tryAgain = this.#failedGone.length
  }

  /** The next thing to tell, given what the cache has under that name. */
  take(key: string, present: KubeObject | undefined): HandlerEvent | undefined {
    // A look that never came to an end left it behind.
    if (this.#inHand !== undefined) this.#putBack(this.#inHand)
    const event = this.#next(key, present)
    this.#inHand = event && { event, deletions: this.#deletions }
    return event
  }

  /** What was taken is handled. */
  handled(): void {
    const taken = this.#inHand?.event
    this.#inHand = undefined
    if (taken?.type !== "deleted") return
    this.#gone = this.#gone.filter((object) => object !== taken.object)
    this.#dropFailed(taken.object)
  }

  /**
   * What was taken failed; `givenUp` when it is not to be tried again until something is heard.
   * Gives the failed deletion that is dropped where there are too many: the oldest.
   */
  failed(givenUp: boolean): KubeObject | undefined {
    const taken = this.#inHand
    this.#inHand = undefined
    if (taken === undefined) return undefined
    this.#putBack(taken)
    const { event } = taken
    if (!givenUp || event.type !== "deleted") return undefined
    this.#gone = this.#gone.filter((object) => object !== event.object)
    this.#dropFailed(event.object)
    this.#failedGone.push(event.object)
    return this.#dropOldest()
  }

  #next(key: string, present: KubeObject | undefined): HandlerEvent | undefined {
    const [gone] = this.#gone
    if (gone !== undefined) return { type: "deleted", key, object: gone }
    if (present !== undefined && (this.#here !== undefined || this.#tryAgain === 0)) {
      const type = this.#here ?? "present"
      this.#here = undefined
      return { type, key, object: present }
    }
    this.#here = undefined
    const [failed] = this.#tryAgain > 0 ? this.#failedGone : []
    return failed && { type: "deleted", key, object: failed }
  }

  /** Nobody has heard of it yet: an object that was added is still to be told as added. */
  #putBack({ event, deletions }: InHand): void {
    if (event.type === "deleted" || deletions !== this.#deletions) return
    this.#here = stronger(this.#here, event.type)
  }

  #dropOldest(): KubeObject | undefined {
    const [oldest] = this.#failedGone
    if (oldest === undefined || this.#failedGone.length <= this.#limit) return undefined
    this.#dropFailed(oldest)
    return oldest
  }

  #dropFailed(object: KubeObject): void {
    const before = this.#failedGone.length
    this.#failedGone = this.#failedGone.filter((one) => one !== object)
    if (this.#failedGone.length < before) this.#tryAgain = Math.max(0, this.#tryAgain - 1)
  }
}

function wordOf(change: Change): Here {
  if (change.type === "added") return "added"
  return change.type === "updated" ? "modified" : "present"
}

function stronger(one: Here, other: Here): Here {
  const both = [one, other]
  return (["added", "modified", "present"] as const).find((word) => both.includes(word))
}
