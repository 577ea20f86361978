import { hasCause, isGone, type KubeObject, statusErrorIn, suggestedDelaySeconds } from "@pilothouse/api"
import { isRetryable, PilothouseError } from "@pilothouse/seams"
import type { WaitState, WatcherState } from "./watcher-state.ts"

/** The states in which a request can fail: all but waiting. */
export type Failing<T extends KubeObject> = Exclude<WatcherState<T>, WaitState<T>>

/** The inputs of a failure transition. */
export interface FailureFacts {
  /** Whether the server supports streaming lists, as far as is known. */
  readonly streams: boolean
  /** The resourceVersion of the sink; undefined before the first complete state. */
  readonly known: string | undefined
  /** The watch ended within a second and brought nothing. */
  readonly short: boolean
}

/** Internal errors in a row after which the watcher lists instead of watching again. */
const poisonedAfter = 5
/** Milliseconds. A longer Retry-After is treated as a mistake: a cache must not lag for that long. */
const maxSuggestion = 300_000

/** Returns the next state of a watcher after a failure. Pure: the whole knowledge of the protocol's failures, in one table. */
export function afterFailure<T extends KubeObject>(state: Failing<T>, error: unknown, facts: FailureFacts): WatcherState<T> {
  switch (state.at) {
    case "stream":
      if (isTooOldOrTooNew(error)) return listNewest(state, error, facts)
      // An overloaded server is not asked for a list, which costs more.
      if (statusErrorIn(error)?.statusCode === 429) return wait(state, error)
      if (statusErrorIn(error) !== undefined && !isRetryable(error)) return listAfter(state.resourceVersion, facts)
      return wait(state.broken > 0 ? listAfter(state.resourceVersion, facts) : { ...state, broken: state.broken + 1 }, error)
    case "list":
      return isTooOldOrTooNew(error) ? listNewest(state, error, facts) : wait(state, error)
    case "probe":
      return isRetryableStatus(error) || isLost(error) ? wait(state, error) : wait(relist(state.resourceVersion, facts), error)
    case "watch":
      return afterWatch({ at: "watch", resourceVersion: state.resourceVersion, failures: state.failures }, error, facts)
  }
}

function afterWatch<T extends KubeObject>(state: Failing<T> & { at: "watch" }, error: unknown, facts: FailureFacts): WatcherState<T> {
  if (isUnset(state.resourceVersion)) return wait(relist("", facts), error)
  if (isTooOldOrTooNew(error)) return facts.short ? wait(relist("", facts), error) : relist("", facts)
  if (isLost(error)) return wait({ at: "probe", resourceVersion: state.resourceVersion }, error)
  if (!isRetryableStatus(error)) return wait(relist(state.resourceVersion, facts), error)
  const code = statusErrorIn(error)?.statusCode
  if (code !== 500) return wait(state, error)
  const failures = state.failures + 1
  return wait(failures < poisonedAfter ? { ...state, failures } : relist(state.resourceVersion, facts), error)
}

/** Lists again, by stream where the server supports it. */
export function relist<T extends KubeObject>(resourceVersion: string, { streams }: Pick<FailureFacts, "streams">): Failing<T> {
  return streams ? { at: "stream", resourceVersion, broken: 0 } : { at: "list", resourceVersion }
}

/** Reports whether a resourceVersion names no state to resume from: a watch from it begins with present objects and does not report deletions. */
export function isUnset(resourceVersion: string): boolean {
  return resourceVersion === "" || resourceVersion === "0"
}

/** Reports whether a refusal means that the server does not support streaming lists. */
export function rejectsStreams(error: unknown): boolean {
  const code = statusErrorIn(error)?.statusCode
  return code === 400 || code === 405 || code === 406 || code === 415 || code === 422
}

/** The newest state is always available; only when that is refused too, the watcher waits. */
function listNewest<T extends KubeObject>(state: Failing<T>, error: unknown, facts: FailureFacts): WatcherState<T> {
  const newest = state.at === "list" ? ({ at: "list", resourceVersion: "" } as const) : relist<T>("", facts)
  return state.resourceVersion === "" ? wait(newest, error) : newest
}

function listAfter(resourceVersion: string, { known }: FailureFacts): { at: "list"; resourceVersion: string } {
  return { at: "list", resourceVersion: known === undefined ? "0" : resourceVersion }
}

function wait<T extends KubeObject>(before: Failing<T>, error: unknown): WatcherState<T> {
  return { at: "wait", before, atLeast: Math.min((suggestedDelaySeconds(error) ?? 0) * 1000, maxSuggestion) }
}

/** The requested resourceVersion is older than the server's history, or newer than its state. */
function isTooOldOrTooNew(error: unknown): boolean {
  if (isGone(error) || hasCause(error, "ResourceVersionTooLarge")) return true
  // prose: servers before 1.18 have no code for it.
  return statusErrorIn(error)?.message.includes("Too large resource version") ?? false
}

function isRetryableStatus(error: unknown): boolean {
  return statusErrorIn(error) !== undefined && isRetryable(error)
}

function isLost(error: unknown): boolean {
  return error instanceof PilothouseError && (error.code === "CONNECTION_LOST" || error.code === "TIMEOUT")
}
