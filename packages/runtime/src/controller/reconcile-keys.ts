import { abortWith } from "@pilothouse/seams"
import type { WorkQueue } from "../queue/work-queue.ts"

export interface ReconcileKeysOptions {
  readonly queue: Pick<WorkQueue, "next">
  /** How many keys may be in hand at once. */
  readonly maxConcurrent: number
  readonly stop: AbortSignal
  /** Gives its key back to the queue; `over` aborts when no other key will be begun. */
  work(key: string, over: AbortSignal): Promise<void>
}

/**
 * Begins the work on each key as it comes up and a place is free. There is one who waits for keys, not one for each place: most loops have nothing to do
 * most of the time, and some have 500 places.
 * Ends with the signal, when all that was begun has ended. Work that fails, which none should, ends the rest in the same way: nothing of this is under
 * way when the failure is told.
 */
export async function reconcileKeys({ queue, maxConcurrent, stop, work }: ReconcileKeysOptions): Promise<void> {
  const over = new AbortController()
  using _aborting = abortWith(over, stop)
  const failures: unknown[] = []
  /** One for each key that was begun. Not the key: it is given back before its work has quite ended, and may be begun again by then. */
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
