import type { Clock, Transport } from "@pilothouse/seams"
import { TokenBucket } from "../../queue/token-bucket.ts"

/** How many requests go out in a second. */
export interface RateLimitOptions {
  readonly clock: Clock
  /** Requests per second, on average. */
  readonly perSecond: number
  /** So many at once after a pause. */
  readonly burst: number
}

/**
 * Sends no more than so many requests per second; the others wait in order.
 * Off by default: API servers share themselves out fairly (priority and fairness), and a client-side limit is the usual cause of a slow controller.
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
