import type { Clock, Transport } from "@pilothouse/seams"

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
  /** Below zero: how many are waiting. */
  let tokens = burst
  let counted = clock.elapsed()
  return async (request) => {
    const now = clock.elapsed()
    tokens = Math.min(burst, tokens + ((now - counted) * perSecond) / 1000) - 1
    counted = now
    if (tokens < 0) {
      const turn = clock.sleep((-tokens * 1000) / perSecond, {
        signal: request.signal,
        name: `rate limit of ${request.verb} ${request.path}`,
      })
      await turn.catch((error: unknown) => {
        // Who does not go gives the place back.
        tokens++
        throw error
      })
    }
    return inner(request)
  }
}
