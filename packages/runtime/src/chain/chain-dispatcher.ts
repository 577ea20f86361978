import { type Log, messageOf } from "@pilothouse/seams"
import type { WorkQueue } from "../queue/work-queue.ts"
import type { Chain } from "./chain.ts"
import type { Failures } from "./failures.ts"
import type { HandlerLimit } from "./handler-limit.ts"
import type { ChainTask } from "./task.ts"

export interface ChainDispatcherOptions {
  readonly queue: Pick<WorkQueue, "add" | "retry" | "forget">
  readonly failures: Failures
  readonly limit: HandlerLimit
  readonly log: Log
  /** Failures after which a deleted object is given up. */
  readonly attempts: number
}

/** An object by its id in the queue, its chain and its key. */
export interface ChainObject {
  readonly id: string
  readonly chain: Chain
  readonly key: string
}

/** Runs the handlers for the pending tasks of objects; failed tasks are requeued. */
export class ChainDispatcher {
  readonly #options: ChainDispatcherOptions

  constructor(options: ChainDispatcherOptions) {
    this.#options = options
  }

  /** Runs all pending tasks of one object. Synchronous where all handlers are: ten thousand objects at the start need no promise each. */
  dispatch(object: ChainObject): void | Promise<void> {
    const { chain, key } = object
    for (let task = chain.task(key); task !== undefined; task = chain.task(key)) {
      const succeeded = this.#run(object, task)
      if (typeof succeeded !== "boolean") return succeeded.then((well) => (well ? this.dispatch(object) : undefined))
      if (!succeeded) return
    }
  }

  /** Returns false when the task failed and waits for another attempt. */
  #run(object: ChainObject, task: ChainTask): boolean | Promise<boolean> {
    const { limit } = this.#options
    const failed = (error: unknown) => (limit.isOver ? false : this.#failed(object, task, error))
    try {
      const waiting = object.chain.run(task, limit)
      if (waiting !== undefined) return waiting.then(() => this.#succeeded(object, task), failed)
    } catch (error) {
      return failed(error)
    }
    return this.#succeeded(object, task)
  }

  #succeeded({ id, chain }: ChainObject, task: ChainTask): true {
    chain.complete(task)
    this.#options.queue.forget(id)
    this.#options.failures.succeeded(id)
    return true
  }

  #failed({ id, chain, key }: ChainObject, task: ChainTask, error: unknown): boolean {
    const { queue, failures, log, attempts: maxAttempts } = this.#options
    const { event } = task
    const { attempts } = failures.failed(id, { kind: chain.kind, key, gone: event === "delete" }, error)
    const givenUp = event === "delete" && attempts >= maxAttempts
    const then = givenUp ? "the object is deleted, giving up" : "the chain is retried later"
    log.warn(`a handler of ${chain.kind} failed; ${then}`, { kind: chain.kind, key, event, attempts, error: messageOf(error) })
    if (givenUp) {
      failures.givenUp(id)
      chain.complete(task)
      queue.forget(id)
      return true
    }
    // A newer event replaces the failed task at once.
    if (chain.task(key) !== task) queue.add(id)
    else queue.retry(id)
    return false
  }
}
