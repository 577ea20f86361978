import { abortWith } from "@pilothouse/seams"
import type { WorkQueue } from "../queue/work-queue.ts"

export interface ReconcileKeysOptions {
  readonly queue: Pick<WorkQueue, "next">
  /** Maximum number of concurrent reconciles. */
  readonly maxConcurrent: number
  readonly stop: AbortSignal
  /** Reconciles a key and releases it to the queue; `over` aborts when no other key will be started. */
  work(key: string, over: AbortSignal): Promise<void>
}

/**
 * Starts the reconcile of each key as it becomes ready, up to `maxConcurrent` at once (processNextWorkItem in upstream's controllers). One waiter
 * serves all of them: most controllers are idle most of the time, and some allow 500 concurrent reconciles. Ends after the signal when all started
 * work has ended. Work that throws, which should not happen, stops the rest in the same way: nothing is running when the error is thrown.
 */
export async function reconcileKeys({ queue, maxConcurrent, stop, work }: ReconcileKeysOptions): Promise<void> {
  const over = new AbortController()
  using _aborting = abortWith(over, stop)
  const failures: unknown[] = []
  /** One for each started key. Not the key itself: it is released before its work has quite ended, and may be started again by then. */
  const active = new Set<symbol>()
  let waiting: PromiseWithResolvers<void> | undefined
  const oneEnds = (): Promise<void> => {
    waiting = Promise.withResolvers()
    return waiting.promise
  }
  const begin = async (key: string): Promise<void> => {
    const begun = Symbol(key)
    active.add(begun)
    try {
      await work(key, over.signal)
    } catch (error) {
      failures.push(error)
      over.abort()
    }
    active.delete(begun)
    waiting?.resolve()
  }
  for (let key = await queue.next(over.signal); key !== undefined; key = await queue.next(over.signal)) {
    void begin(key)
    while (active.size === maxConcurrent) await oneEnds()
  }
  while (active.size > 0) await oneEnds()
  if (failures.length > 0) throw failures[0]
}
