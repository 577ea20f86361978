import { type Log, messageOf } from "@pilothouse/seams"
import type { ReconcileResult } from "../controller/controller.ts"
import type { EventBuffer } from "./event-buffer.ts"
import type { HandlerEvent } from "./event-handler.ts"
import type { FailedObjects } from "./failed-objects.ts"
import type { PipelineMetrics } from "./pipeline-metrics.ts"

/** Dependencies that the handlers of a pipeline share. */
export interface PipelineContext {
  readonly log: Log
  readonly metrics: PipelineMetrics
  readonly failed: FailedObjects
}

/** The deliveries of one handler and their results. Invariant: #active has the event of each key that is being reconciled. */
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
    // The queue retries what failed; events that wait behind a finished one have to be enqueued here.
    if (pending.isWaiting && (error === undefined || (givenUp && event?.type === "deleted")))
      this.#enqueue(key, "more events of the object wait")
    this.#buffer.update(key)
    metrics.failedObjects(this.#name, failed.of(this.#name).length)
    metrics.pendingObjects(this.#name, this.#buffer.size)
  }

  #giveUp(event: HandlerEvent, error: unknown): void {
    const { failed, metrics, log } = this.#context
    failed.add(this.#name, event, error)
    metrics.gaveUp(this.#name, event.type)
    const about = { handler: this.#name, key: event.key, event: event.type, uid: event.object.metadata.uid, error: messageOf(error) }
    log.error("an event could not be handled; it is retried at the next event of the object and at the next resync", about)
  }

  #drop(event: HandlerEvent): void {
    const { failed, metrics, log } = this.#context
    failed.drop(this.#name, event)
    metrics.dropped(this.#name)
    const about = { handler: this.#name, key: event.key, uid: event.object.metadata.uid }
    log.error("too many deletions under one name have failed; the oldest is dropped, and its resources are not cleaned up", about)
  }
}
