import type { KubeObject } from "@pilothouse/api"
import type { OpenWatch } from "./open-watch.ts"

/**
 * Where a watcher stands. It leaves every state by itself, whatever happens: a watcher never dies before its signal.
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
 * Asks for the present state and for everything after it in one stream. An empty resourceVersion wants the newest state,
 * any other one a state that is not older.
 */
export interface StreamState {
  readonly at: "stream"
  readonly resourceVersion: string
  /** Streams in a row that broke, or were refused for the moment, before the state was complete; after the second one pages are asked for. */
  readonly broken: number
}

/** Asks for pages. An empty resourceVersion wants the newest state, "0" any, another one a state that is not older. */
export interface ListState {
  readonly at: "list"
  readonly resourceVersion: string
}

/** The state is known up to a resourceVersion; asks for what comes after it. */
export interface WatchState<T extends KubeObject> {
  readonly at: "watch"
  readonly resourceVersion: string
  /** The stream that brought the state goes on as the watch. */
  readonly open?: OpenWatch<T>
  /** Internal errors in a row at this very resourceVersion: a poisoned event would come again for ever. */
  readonly failures: number
}

/**
 * The connection broke: asks how far the server is before going on. A server that was restored from a backup, or restarted without one,
 * is behind us; it would let a watch from the future wait in silence, and we would show what is no longer true.
 */
export interface ProbeState {
  readonly at: "probe"
  readonly resourceVersion: string
}

/** Something failed: lets time pass, and goes on. */
export interface WaitState<T extends KubeObject> {
  readonly at: "wait"
  readonly before: Exclude<WatcherState<T>, WaitState<T>>
  /** The least to wait, in milliseconds, where the server said so (Retry-After). */
  readonly atLeast: number
}
