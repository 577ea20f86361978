import { StatusError, suggestedDelaySeconds } from "@pilothouse/api"
import { type Duration, type ErrorDetails, milliseconds, PilothouseError } from "@pilothouse/seams"

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
