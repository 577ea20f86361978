import { type ControllerSpec, type ExponentialOptions, exponentialLimiter, withMaxRetries } from "@pilothouse/runtime"

/** Failures after which a Service is not retried until it changes. */
const maxRetries = 15

/** Doubles the delay after each failure and stops after the fifteenth: a Service that the server refuses is reconciled again when it changes. */
export function serviceBackoff(options?: ExponentialOptions): ControllerSpec<unknown>["backoff"] {
  return () => withMaxRetries(exponentialLimiter(options), maxRetries)
}
