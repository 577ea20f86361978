import { StatusError, suggestedDelaySeconds } from "@pilothouse/api"
import { type Duration, type ErrorDetails, milliseconds, PilothouseError } from "@pilothouse/seams"
import type { Outcome } from "./reconcile.ts"

/** For observe and executors: names the delay before the retry. "The load balancer is being built: retry in 30 s." */
export class RetryAfterError extends PilothouseError {
  override readonly name = "RetryAfterError"
  /** Milliseconds. */
  readonly after: number

  constructor(after: Duration, message: string, details?: ErrorDetails) {
    super("RETRY_AFTER", message, details)
    this.after = milliseconds(after)
  }
}

/** Milliseconds. Limits the delay that a server requests; that of a controller has no limit. */
const maxSuggestion = 300_000

/** Returns the delay before the retry that the error names, in milliseconds. */
export function retryAfterOf(error: unknown): number | undefined {
  if (error instanceof RetryAfterError) return error.after
  if (isTooLarge(error)) return maxSuggestion
  const seconds = suggestedDelaySeconds(error)
  return seconds === undefined || seconds === 0 ? undefined : Math.min(seconds * 1000, maxSuggestion)
}

/**
 * A write of more than the store takes is refused until the objects are others, and a change of those starts the next reconcile.
 * The usual delays begin with 5 ms: ten reconciles of an object of megabytes would follow one another and keep the process busy.
 */
function isTooLarge(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false
  // prose: etcd's own text; the API server passes it on with the code of every other failure.
  return error.statusCode === 413 || (error.statusCode === 500 && error.message === "etcdserver: request is too large")
}

/** What follows a reconcile of a key. */
export type FollowUp =
  /** Nothing until something changes. */
  | { readonly do: "rest" }
  | { readonly do: "requeue-after"; readonly after: number }
  /** After the limiter's delay, and no later than the plan requests: periodic work (a node's lease) continues whatever else fails. */
  | { readonly do: "retry"; readonly within?: number }
  /** After the delay that the error names. */
  | { readonly do: "retry-after"; readonly after: number }
  /** Not until the object changes. */
  | { readonly do: "give-up" }

/** Milliseconds. A dry run changes nothing: an immediate reconcile would find the same state again. */
const dryRunDelay = 60_000

/**
 * Decides what becomes of a key after a reconcile: it rests, is requeued after a time, or is retried with backoff. A conflict ends the reconcile and
 * enqueues its key: there is no RetryOnConflict, which would write a decision that was made from an older object.
 */
export function followUp({ requeueAfter, error, results }: Pick<Outcome, "requeueAfter" | "error" | "results">, dryRun = false): FollowUp {
  if (error === undefined) {
    const after = requeueAfter !== undefined && dryRun && results.length > 0 ? Math.max(requeueAfter, dryRunDelay) : requeueAfter
    // The other writer has changed the object, and that enqueues the key; but a conflict may come from a webhook or a proxy, and then nothing else would.
    if (results.some((result) => result.ok === true && result.overtaken)) return { do: "retry", within: after }
    return after === undefined ? { do: "rest" } : { do: "requeue-after", after }
  }
  if (isTerminal(error)) return { do: "give-up" }
  const after = retryAfterOf(error)
  return after === undefined ? { do: "retry", within: requeueAfter } : { do: "retry-after", after }
}

/** Reports whether a controller says that no retry can help. */
export function isTerminal(error: unknown): boolean {
  return error instanceof PilothouseError && error.code === "TERMINAL"
}

/** Reports whether an error is no refusal but a mistake in a program. */
export function isUnexpected(error: unknown): boolean {
  return error !== undefined && !(error instanceof PilothouseError)
}
