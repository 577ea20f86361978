import { type Clock, messageOf } from "@pilothouse/seams"
import type { HandlerEvent } from "./event-handler.ts"

/** An object that a handler could not handle for too long, or that it never will. It is tried again at its next event and at every resync. */
export interface FailedObject {
  readonly handler: string
  readonly key: string
  readonly event: HandlerEvent["type"]
  /** When it was given up, in milliseconds since 1970. */
  readonly since: number
  readonly error: string
}

/** Always true between calls: an event stands here from when it was given up until it is handled or dropped, or its object is gone. */
export class FailedObjects {
  readonly #clock: Clock
  readonly #failed = new Map<string, FailedObject>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get all(): readonly FailedObject[] {
    return [...this.#failed.values()]
  }

  add(handler: string, event: HandlerEvent, error: unknown): void {
    const name = failureKey(handler, event)
    const since = this.#failed.get(name)?.since ?? this.#clock.now()
    this.#failed.set(name, { handler, key: event.key, event: event.type, since, error: messageOf(error) })
  }

  handled(handler: string, event: HandlerEvent): void {
    this.#failed.delete(failureKey(handler, event))
    // Once it is gone and released nobody minds that it could not be served before.
    if (event.type === "deleted") this.#failed.delete(failureKey(handler, { ...event, type: "present" }))
  }

  /** It is tried no more. */
  drop(handler: string, event: HandlerEvent): void {
    this.#failed.delete(failureKey(handler, event))
  }

  of(handler: string): readonly FailedObject[] {
    return this.all.filter((one) => one.handler === handler)
  }

  forget(handler: string): void {
    for (const [name, one] of this.#failed) if (one.handler === handler) this.#failed.delete(name)
  }
}

/** A deletion and a state of the same object fail each on its own. */
function failureKey(handler: string, { key, type, object }: HandlerEvent): string {
  return [handler, key, object.metadata.uid, type === "deleted" ? "deleted" : "present"].join(" ")
}
