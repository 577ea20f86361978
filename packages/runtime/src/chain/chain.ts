import { deepEqual, type KubeObject, keyOf } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import type { Change } from "../cache/change.ts"
import type { Informer } from "../cache/informer.ts"
import type { HandlerLimit } from "./handler-limit.ts"
import { type ChainHandler, type ChainTask, foldChange, nextTask, type Pending, withoutTask } from "./task.ts"

/** An event from an informer; "updateSame" is an update that changes nothing and is dropped. */
export type CountedEvent = "add" | "update" | "updateSame" | "delete"

/** The part of an informer that a chain uses. */
export type ChainSource<T extends KubeObject> = Pick<Informer<T>, "addHandler" | "store" | "synced">

/** The handlers and options of a chain. */
export interface ChainOptions<T extends KubeObject> {
  /** The kind in messages and metrics: "Services". */
  readonly kind: string
  readonly handlers?: readonly ChainHandler<T>[]
  /** Whether an update changes nothing that a handler reads; compares whole objects by default. */
  readonly equal?: (old: T, object: T) => boolean
  readonly onEvent?: (event: CountedEvent) => void
  /** Interval at which every object goes through the chain again; never by default. */
  readonly resync?: Duration
}

/** Enqueues an object; `newer` when it changed. */
export type Enqueue = (key: string, newer: boolean) => void

/**
 * The handlers of one kind, in order.
 *
 * Invariant: every object whose newest state the handlers have not processed is in #pending.
 */
export class Chain<T extends KubeObject = KubeObject> {
  readonly kind: string
  readonly informer: ChainSource<T>
  readonly #options: ChainOptions<T>
  readonly #handlers: ChainHandler<T>[]
  readonly #enqueue: Enqueue
  readonly #pending = new Map<string, Pending<T>>()

  constructor(informer: ChainSource<T>, options: ChainOptions<T>, enqueue: Enqueue) {
    this.kind = options.kind
    this.informer = informer
    this.#options = options
    this.#handlers = [...(options.handlers ?? [])]
    this.#enqueue = enqueue
    informer.addHandler((change) => this.#onChange(change), { name: options.kind, resync: options.resync })
  }

  /** Adds a handler at the end of the chain. */
  append(handler: ChainHandler<T>): void {
    this.#handlers.push(handler)
  }

  /**
   * Sends an object through the chain again because something it depends on changed. Ignored where there is no such object.
   * A handler that is running for it may have read before the change: that run does not count as this one.
   */
  requeue(key: string): void {
    const object = this.informer.store.get(key)
    if (object === undefined) return
    this.#pending.set(key, foldChange(this.#pending.get(key), key, { type: "resync", object }))
    this.#enqueue(key, false)
  }

  pendingKeys(): Iterable<string> {
    return this.#pending.keys()
  }

  /** Returns the next pending task of an object. */
  task(key: string): ChainTask<T> | undefined {
    const pending = this.#pending.get(key)
    return pending && nextTask(pending)
  }

  /** The first handler that throws ends the run. */
  run(task: ChainTask<T>, limit: HandlerLimit): void | Promise<void> {
    for (const [at, handler] of this.#handlers.entries()) {
      const waiting = handler(task, limit.signal)
      // Most handlers are synchronous: no promise for those.
      if (waiting !== undefined) return this.#finish(task, limit, { waiting, left: this.#handlers.slice(at + 1) })
    }
  }

  /** Removes a task that was handled or given up. */
  complete(task: ChainTask<T>): void {
    const pending = this.#pending.get(task.key)
    const left = pending && withoutTask(pending, task)
    if (left === undefined) this.#pending.delete(task.key)
    else this.#pending.set(task.key, left)
  }

  async #finish(
    task: ChainTask<T>,
    limit: HandlerLimit,
    { waiting, left }: { waiting: Promise<void>; left: readonly ChainHandler<T>[] },
  ): Promise<void> {
    await limit.within(waiting, this.kind)
    for (const handler of left) {
      const next = handler(task, limit.signal)
      if (next !== undefined) await limit.within(next, this.kind)
    }
  }

  #onChange(change: Change<T>): void {
    const event = this.#eventOf(change)
    this.#options.onEvent?.(event)
    if (event === "updateSame" && change.type !== "resync") return
    const key = keyOf(change.object)
    this.#pending.set(key, foldChange(this.#pending.get(key), key, change))
    this.#enqueue(key, change.type !== "resync")
  }

  #eventOf(change: Change<T>): CountedEvent {
    const { equal = deepEqual } = this.#options
    if (change.type === "added") return "add"
    if (change.type === "deleted") return "delete"
    return change.type === "resync" || equal(change.old, change.object) ? "updateSame" : "update"
  }
}
