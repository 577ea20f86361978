import { type Clock, TokenBucket, type Transport } from "@pilothouse/seams"

/** Options of the client-side rate limit. */
export interface RateLimitOptions {
  readonly clock: Clock
  /** Requests per second, on average. */
  readonly perSecond: number
  /** Requests at once after a pause. */
  readonly burst: number
}

/**
 * Limits the requests per second; the others wait in order.
 * Off by default: API servers have priority and fairness, and a client-side limit is a common cause of a slow controller.
 */
export function rateLimited(inner: Transport, { clock, perSecond, burst }: RateLimitOptions): Transport {
  const bucket = new TokenBucket(clock, { perSecond, burst })
  return async (request) => {
    const wait = bucket.take()
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
