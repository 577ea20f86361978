import { type ControllerSpec, type ExponentialOptions, exponentialLimiter, withMaxRetries } from "@pilothouse/runtime"

/** Failures after which a Service is left alone until something of it changes. */
const maxRetries = 15

/** Waits twice as long after each failure, and gives up after the fifteenth: a Service that the server refuses is looked at again when it changes. */
export function fifteenTries(options?: ExponentialOptions): ControllerSpec<unknown>["backoff"] {
  return () => withMaxRetries(exponentialLimiter(options), maxRetries)
}
