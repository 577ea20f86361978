import { suggestedDelaySeconds } from "@pilothouse/api"
import { type Duration, type ErrorDetails, milliseconds, PilothouseError } from "@pilothouse/seams"

/** For observe and executors: tells the runtime when a retry makes sense. "The load balancer is being built: look again in 30 s." */
export class RetryAfterError extends PilothouseError {
  override readonly name = "RetryAfterError"
  /** Milliseconds. */
  readonly after: number

  constructor(after: Duration, message: string, details?: ErrorDetails) {
    super("RETRY_AFTER", message, details)
    this.after = milliseconds(after)
  }
}

/** Milliseconds. What a server asks for has a limit; what a controller asks for has none. */
const longestSuggestion = 300_000

/** How long to wait before the next try, in milliseconds, where the error says it. */
export function retryAfterOf(error: unknown): number | undefined {
  if (error instanceof RetryAfterError) return error.after
  const seconds = suggestedDelaySeconds(error)
  return seconds === undefined || seconds === 0 ? undefined : Math.min(seconds * 1000, longestSuggestion)
}
