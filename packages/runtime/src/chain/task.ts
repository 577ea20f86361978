import type { KubeObject } from "@pilothouse/api"
import type { Change } from "../cache/change.ts"

/** What happened to an object, as the handlers of a chain are told. */
export type ChainEvent = "add" | "update" | "delete"

/** What the handlers of a chain are told: the newest state of an object, or the last one before it went. */
export interface ChainTask<T extends KubeObject = KubeObject> {
  readonly event: ChainEvent
  readonly key: string
  readonly object: T
}

/**
 * Throws to be called again later, with the whole chain: so it must be repeatable. After the signal has aborted nobody waits for it any more: its time
 * is over, or the run is.
 */
export type ChainHandler<T extends KubeObject = KubeObject> = (task: ChainTask<T>, signal: AbortSignal) => void | Promise<void>

/**
 * What the handlers have not taken in yet of one object.
 *
 * Always true: `gone` is told as deleted first, also where it came and went before anybody was told of it; `here` comes after it, and is the newest
 * state that was seen. Every wish to tell that state is a task of its own.
 */
export interface Pending<T extends KubeObject = KubeObject> {
  readonly deleted?: ChainTask<T>
  readonly current?: ChainTask<T>
}

/** Folds one more change into what is pending; a resync is an update that says nothing new. */
export function foldChange<T extends KubeObject>(pending: Pending<T> | undefined, key: string, change: Change<T>): Pending<T> {
  const { deleted, current } = pending ?? {}
  if (change.type === "deleted") {
    // While an older one waits to be told as gone, nobody has heard of this one.
    return { deleted: deleted ?? { event: "delete", key, object: change.object } }
  }
  const event = current?.event ?? (change.type === "added" ? "add" : "update")
  return { deleted, current: { event, key, object: change.object } }
}

/** The next thing to tell. */
export function nextTask<T extends KubeObject>({ deleted, current }: Pending<T>): ChainTask<T> | undefined {
  return deleted ?? current
}

/** What is left after a task was told; undefined when that is nothing. A newer wish that came meanwhile is an update of what was told. */
export function withoutTask<T extends KubeObject>({ deleted, current }: Pending<T>, done: ChainTask<T>): Pending<T> | undefined {
  if (done === deleted) return current && { current }
  if (done === current) return deleted && { deleted }
  return { deleted, current: current && { ...current, event: deleted === undefined ? "update" : current.event } }
}
