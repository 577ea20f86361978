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
 * Always true: `gone` was told or tried before and is told as deleted first; `here` comes after it, and is the newest state that was seen.
 */
export interface Pending<T extends KubeObject = KubeObject> {
  readonly gone?: T
  readonly here?: { readonly object: T; readonly event: "add" | "update" }
}

/** Folds one more change into what is pending; a resync is an update that says nothing new. */
export function folded<T extends KubeObject>(pending: Pending<T> | undefined, change: Change<T>): Pending<T> {
  const { gone, here } = pending ?? {}
  if (change.type === "deleted") {
    // While an older one waits to be told as gone, nobody has heard of this one.
    return { gone: gone ?? change.object }
  }
  const event = here?.event ?? (change.type === "added" ? "add" : "update")
  return { gone, here: { object: change.object, event } }
}

/** The next thing to tell. */
export function taskOf<T extends KubeObject>(key: string, { gone, here }: Pending<T>): ChainTask<T> | undefined {
  if (gone !== undefined) return { event: "delete", key, object: gone }
  return here && { event: here.event, key, object: here.object }
}

/** What is left after a task was told; undefined when that is nothing. A newer state that came meanwhile is an update of what was told. */
export function without<T extends KubeObject>(pending: Pending<T>, { event, object }: ChainTask<T>): Pending<T> | undefined {
  const { gone, here } = pending
  if (event === "delete") return here && { here }
  if (here?.object === object) return gone && { gone }
  return { gone, here: here && { object: here.object, event: gone === undefined ? "update" : here.event } }
}
