import { type Log, messageOf } from "@pilothouse/seams"
import type { ReconcileResult } from "../controller/controller.ts"
import type { EventBuffer } from "./event-buffer.ts"
import type { HandlerEvent } from "./event-handler.ts"
import type { FailedObjects } from "./failed-objects.ts"
import type { PipelineMetrics } from "./pipeline-metrics.ts"

/** What the handlers of a pipeline share. */
export interface PipelineContext {
  readonly log: Log
  readonly metrics: PipelineMetrics
  readonly failed: FailedObjects
}

/** What a handler was told, and what became of it. Always true between calls: #taken has the event in hand of each key that is worked on. */
export class DeliveryLog {
  readonly #name: string
  readonly #buffer: EventBuffer
  readonly #context: PipelineContext
  readonly #enqueue: (key: string, reason: string) => void
  readonly #active = new Map<string, HandlerEvent>()

  constructor(name: string, buffer: EventBuffer, context: PipelineContext, enqueue: (key: string, reason: string) => void) {
    this.#name = name
    this.#buffer = buffer
    this.#context = context
    this.#enqueue = enqueue
  }

  restart(): void {
    this.#buffer.restart()
    this.#active.clear()
    this.#context.failed.forget(this.#name)
  }

  begin(key: string, present: (key: string) => HandlerEvent["object"] | undefined): HandlerEvent | undefined {
    const event = this.#buffer.of(key).next(key, present(key))
    if (event === undefined) this.#active.delete(key)
    else this.#active.set(key, event)
    return event
  }

  finish(key: string, { error, givenUp }: ReconcileResult): void {
    const { failed, metrics } = this.#context
    const event = this.#active.get(key)
    const pending = this.#buffer.of(key)
    this.#active.delete(key)
    if (error === undefined) {
      pending.handled()
      if (event !== undefined) failed.handled(this.#name, event)
    } else {
      const dropped = pending.failed(givenUp)
      if (givenUp && event !== undefined) this.#giveUp(event, error)
      if (dropped !== undefined) this.#drop({ type: "deleted", key, object: dropped })
    }
    // What failed is asked for by the queue; what waits behind something that is over is not.
    if (pending.isWaiting && (error === undefined || (givenUp && event?.type === "deleted")))
      this.#enqueue(key, "more has happened to it meanwhile")
    this.#buffer.update(key)
    metrics.failedObjects(this.#name, failed.of(this.#name).length)
    metrics.pendingObjects(this.#name, this.#buffer.size)
  }

  #giveUp(event: HandlerEvent, error: unknown): void {
    const { failed, metrics, log } = this.#context
    failed.add(this.#name, event, error)
    metrics.gaveUp(this.#name, event.type)
    const about = { handler: this.#name, key: event.key, event: event.type, uid: event.object.metadata.uid, error: messageOf(error) }
    log.error("an event could not be handled; it is tried again at the next event of the object and at the next resync", about)
  }

  #drop(event: HandlerEvent): void {
    const { failed, metrics, log } = this.#context
    failed.drop(this.#name, event)
    metrics.dropped(this.#name)
    const about = { handler: this.#name, key: event.key, uid: event.object.metadata.uid }
    log.error("too many deletions under one name have failed; the oldest is tried no more, and what it left behind stays", about)
  }
}
