import type { KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"

/** The event of a task. */
export type ChainEvent = "add" | "update" | "delete"

/** A task of the handlers of a chain: the newest state of an object, or its last one before the deletion. */
export interface ChainTask<T extends KubeObject = KubeObject> {
  readonly event: ChainEvent
  readonly key: string
  readonly object: T
}

/**
 * Throws to be retried later with the whole chain, so it must be idempotent. Its result is ignored after the signal has aborted: it timed
 * out, or the run has ended.
 */
export type ChainHandler<T extends KubeObject = KubeObject> = (task: ChainTask<T>, signal: AbortSignal) => void | Promise<void>

/**
 * The pending tasks of one object.
 *
 * Invariant: `deleted` is delivered first, even where the object was added and deleted before any delivery; `current` comes after it, and is the newest
 * known state. Every request to deliver that state is a task of its own.
 */
export interface Pending<T extends KubeObject = KubeObject> {
  readonly deleted?: ChainTask<T>
  readonly current?: ChainTask<T>
}

/** Folds one more change into the pending tasks; a resync is an update without a change. */
export function foldChange<T extends KubeObject>(pending: Pending<T> | undefined, key: string, change: Change<T>): Pending<T> {
  const { deleted, current } = pending ?? {}
  if (change.type === "deleted") {
    // While the deletion of an older object waits, this one was never delivered.
    return { deleted: deleted ?? { event: "delete", key, object: change.object } }
  }
  const event = current?.event ?? (change.type === "added" ? "add" : "update")
  return { deleted, current: { event, key, object: change.object } }
}

/** Returns the next task. */
export function nextTask<T extends KubeObject>({ deleted, current }: Pending<T>): ChainTask<T> | undefined {
  return deleted ?? current
}

/** Returns the pending tasks after one was handled, or undefined. A newer request becomes an update. */
export function withoutTask<T extends KubeObject>({ deleted, current }: Pending<T>, done: ChainTask<T>): Pending<T> | undefined {
  if (done === deleted) return current && { current }
  if (done === current) return deleted && { deleted }
  return { deleted, current: current && { ...current, event: deleted === undefined ? "update" : current.event } }
}
