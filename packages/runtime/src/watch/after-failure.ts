import { hasCause, isGone, type KubeObject, statusErrorIn, suggestedDelaySeconds } from "@pilothouse/api"
import { isRetryable, PilothouseError } from "@pilothouse/seams"
import type { WaitState, WatcherState } from "./watcher-state.ts"

export type Failing<T extends KubeObject> = Exclude<WatcherState<T>, WaitState<T>>

/** What a watcher knows when something fails. */
export interface FailureFacts {
  /** The server streams lists, as far as is known. */
  readonly streams: boolean
  /** How far the sink has come; undefined before the first complete state. */
  readonly known: string | undefined
  /** The watch ended within a second and brought nothing. */
  readonly short: boolean
}

/** Internal errors in a row after which a watch is not asked for again, but a list. */
const poisonedAfter = 5
/** Milliseconds. Who asks for more has made a mistake: nobody wants a cache that shows yesterday. */
const maxSuggestion = 300_000

/** Where a watcher goes when something has failed. Pure: the whole knowledge of the protocol's failures, in one table. */
export function afterFailure<T extends KubeObject>(state: Failing<T>, error: unknown, facts: FailureFacts): WatcherState<T> {
  switch (state.at) {
    case "stream":
      if (isTooOldOrTooNew(error)) return listNewest(state, error, facts)
      // A server that is asked too much is not asked for a list, which costs it more.
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

/** Asks for the whole state again, in the way the server can. */
export function relist<T extends KubeObject>(resourceVersion: string, { streams }: Pick<FailureFacts, "streams">): Failing<T> {
  return streams ? { at: "stream", resourceVersion, broken: 0 } : { at: "list", resourceVersion }
}

/** No place to go on from: a watch from here begins with what is there, and says nothing of what is gone. */
export function isUnset(resourceVersion: string): boolean {
  return resourceVersion === "" || resourceVersion === "0"
}

/** Whether a refusal says that the server does not know streaming lists at all, so that asking again is no use. */
export function rejectsStreams(error: unknown): boolean {
  const code = statusErrorIn(error)?.statusCode
  return code === 400 || code === 405 || code === 406 || code === 415 || code === 422
}

/** The newest state is always there; only when that is refused too, time has to pass first. */
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

/** The asked resourceVersion is before the history that is kept, or after everything the server knows. */
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
