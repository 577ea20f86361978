import type { KubeObject } from "@pilothouse/api"
import type { OpenWatch } from "./open-watch.ts"

/**
 * The state of a watcher. It leaves every state by itself: a watcher never ends before its signal.
 *
 * ```
 *            ┌────── the server streams no lists ──────┐
 * start → stream ── everything is here ──→ watch ←── list ←┐
 *            ↑                              │ ↑            │
 *            └─── 410: history is gone ─────┤ └── probe ───┤ the server is behind us, or refuses
 *                                           └─ lost ─↑     │
 * ```
 * From every state a failure leads through `wait`, except the first 410 and the first "too large resource version".
 */
export type WatcherState<T extends KubeObject> = StreamState | ListState | WatchState<T> | ProbeState | WaitState<T>

/**
 * Requests the present state and all changes after it in one stream. An empty resourceVersion means the newest state,
 * any other one a state that is not older.
 */
export interface StreamState {
  readonly at: "stream"
  readonly resourceVersion: string
  /** Streams in a row that broke, or were refused for the moment, before the state was complete; after the second one pages are requested. */
  readonly broken: number
}

/** Requests pages. An empty resourceVersion means the newest state, "0" any, another one a state that is not older. */
export interface ListState {
  readonly at: "list"
  readonly resourceVersion: string
}

/** The state is known up to a resourceVersion; requests the changes after it. */
export interface WatchState<T extends KubeObject> {
  readonly at: "watch"
  readonly resourceVersion: string
  /** The stream of the initial state continues as the watch. */
  readonly open?: OpenWatch<T>
  /** Internal errors in a row at this resourceVersion: an event that cannot be sent would fail every watch. */
  readonly failures: number
}

/**
 * The connection broke: asks for the server's resourceVersion before resuming. A server that was restored from a backup, or restarted without one,
 * is behind the cache; it would leave a watch from a future version silent, and the cache would be outdated.
 */
export interface ProbeState {
  readonly at: "probe"
  readonly resourceVersion: string
}

/** A request failed: waits, then continues. */
export interface WaitState<T extends KubeObject> {
  readonly at: "wait"
  readonly before: Exclude<WatcherState<T>, WaitState<T>>
  /** Minimum delay in milliseconds, from Retry-After. */
  readonly atLeast: number
}
