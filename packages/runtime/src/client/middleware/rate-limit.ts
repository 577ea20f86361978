import { type Clock, type Metrics, TokenBucket, type Transport } from "@pilothouse/seams"

/** Options of the client-side rate limit. */
export interface RateLimitOptions {
  readonly clock: Clock
  /** Requests per second, on average. */
  readonly perSecond: number
  /** Requests at once after a pause. */
  readonly burst: number
  /** Records how long requests wait, under client-go's name. */
  readonly metrics?: Metrics
  /** The server, as label `host`. */
  readonly host?: string
}

/** client-go's buckets: from 5 ms to a minute. */
const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

/**
 * Limits the requests per second; the others wait in order.
 * Off by default: API servers have priority and fairness, and a client-side limit is a common cause of a slow controller.
 */
export function rateLimited(inner: Transport, { clock, perSecond, burst, metrics, host = "" }: RateLimitOptions): Transport {
  const bucket = new TokenBucket(clock, { perSecond, burst })
  const waits = metrics?.histogram({
    name: "rest_client_rate_limiter_duration_seconds",
    help: "Client side rate limiter latency in seconds. Broken down by verb, and host.",
    buckets,
  })
  return async (request) => {
    const wait = bucket.take()
    waits?.observe(wait / 1000, { verb: request.verb, host })
    if (wait > 0) {
      const turn = clock.sleep(wait, { signal: request.signal, name: `rate limit of ${request.verb} ${request.path}` })
      await turn.catch((error: unknown) => {
        bucket.refund()
        throw error
      })
    }
    return inner(request)
  }
}
