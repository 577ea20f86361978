import { type Log, messageOf } from "@pilothouse/seams"
import type { ReconcileResult } from "../controller/controller.ts"
import type { HandlerEvent } from "./event-handler.ts"
import type { FailedObjects } from "./failed-objects.ts"
import type { Lanes } from "./lanes.ts"
import type { PipelineMetrics } from "./pipeline-metrics.ts"

/** What the handlers of a pipeline share. */
export interface Kept {
  readonly log: Log
  readonly metrics: PipelineMetrics
  readonly failed: FailedObjects
}

/** What a handler was told, and what became of it. Always true between calls: #taken has the event in hand of each key that is worked on. */
export class Book {
  readonly #name: string
  readonly #lanes: Lanes
  readonly #kept: Kept
  readonly #wake: (key: string, reason: string) => void
  readonly #taken = new Map<string, HandlerEvent>()

  constructor(name: string, lanes: Lanes, kept: Kept, wake: (key: string, reason: string) => void) {
    this.#name = name
    this.#lanes = lanes
    this.#kept = kept
    this.#wake = wake
  }

  restart(): void {
    this.#lanes.restart()
    this.#taken.clear()
    this.#kept.failed.forget(this.#name)
  }

  take(key: string, present: (key: string) => HandlerEvent["object"] | undefined): HandlerEvent | undefined {
    const event = this.#lanes.of(key).take(key, present(key))
    if (event === undefined) this.#taken.delete(key)
    else this.#taken.set(key, event)
    return event
  }

  ended(key: string, { error, givenUp }: ReconcileResult): void {
    const { failed, metrics } = this.#kept
    const event = this.#taken.get(key)
    const lane = this.#lanes.of(key)
    this.#taken.delete(key)
    if (error === undefined) {
      lane.handled()
      if (event !== undefined) failed.handled(this.#name, event)
    } else {
      const dropped = lane.failed(givenUp)
      if (givenUp && event !== undefined) this.#giveUp(event, error)
      if (dropped !== undefined) this.#drop({ type: "deleted", key, object: dropped })
    }
    // What failed is asked for by the queue; what waits behind something that is over is not.
    if (lane.isWaiting && (error === undefined || (givenUp && event?.type === "deleted")))
      this.#wake(key, "more has happened to it meanwhile")
    this.#lanes.changed(key)
    metrics.failedNow(this.#name, failed.of(this.#name).length)
    metrics.lanes(this.#name, this.#lanes.size)
  }

  #giveUp(event: HandlerEvent, error: unknown): void {
    const { failed, metrics, log } = this.#kept
    failed.add(this.#name, event, error)
    metrics.gaveUp(this.#name, event.type)
    const about = { handler: this.#name, key: event.key, event: event.type, uid: event.object.metadata.uid, error: messageOf(error) }
    log.error("an event could not be handled; it is tried again at the next event of the object and at the next resync", about)
  }

  #drop(event: HandlerEvent): void {
    const { failed, metrics, log } = this.#kept
    failed.drop(this.#name, event)
    metrics.dropped(this.#name)
    const about = { handler: this.#name, key: event.key, uid: event.object.metadata.uid }
    log.error("too many deletions under one name have failed; the oldest is tried no more, and what it left behind stays", about)
  }
}
