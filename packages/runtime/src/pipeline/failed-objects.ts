import { type Clock, messageOf } from "@pilothouse/seams"
import type { HandlerEvent } from "./event-handler.ts"

/** An object that a handler has given up. It is retried at its next event and at every resync. */
export interface FailedObject {
  readonly handler: string
  readonly key: string
  readonly event: HandlerEvent["type"]
  /** When it was given up, in milliseconds since 1970. */
  readonly since: number
  readonly error: string
}

/** Invariant: an event is here from when it was given up until it is handled or dropped, or its deletion is handled. */
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
    // Once the deletion is handled, earlier failures of the object do not matter.
    if (event.type === "deleted") this.#failed.delete(failureKey(handler, { ...event, type: "present" }))
  }

  /** Removes an event that is not retried any more. */
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

/** A deletion and a state of the same object are separate failures. */
function failureKey(handler: string, { key, type, object }: HandlerEvent): string {
  return [handler, key, object.metadata.uid, type === "deleted" ? "deleted" : "present"].join(" ")
}
