import { type Clock, isRetryable, type Random, type Transport, type TransportRequest, type TransportResponse } from "@pilothouse/seams"
import { retryAfterHeader } from "./retry-after-header.ts"

/** Options of retries. */
export interface RetryOptions {
  readonly clock: Clock
  readonly random: Random
  /** Maximum number of attempts, including the first. */
  readonly attempts?: number
  /** Maximum Retry-After in milliseconds; with a longer one there is no retry. */
  readonly maxWait?: number
  /** Called before each wait: for logs and metrics. */
  readonly onRetry?: (request: TransportRequest, reason: string) => void
}

const firstWait = 200
const maxBackoff = 5000

/**
 * Retries requests that may succeed later: any that the server deferred (429 or 503 with Retry-After),
 * and idempotent ones whose connection was lost or that failed with 429, 500, 502, 503 or 504.
 * What was deferred was not processed.
 * A 429 without Retry-After on a POST is an answer: an eviction that a disruption budget forbids.
 */
export function retrying(inner: Transport, options: RetryOptions): Transport {
  const { clock, random, attempts = 5, maxWait = 60_000, onRetry } = options
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      request.beforeSending?.()
      const outcome = await attemptOnce(inner, request)
      const retry = attempt < attempts ? retryFor(request, outcome, clock.now()) : undefined
      if (retry === undefined || (retry.after ?? 0) > maxWait) return unwrap(outcome)
      onRetry?.(request, retry.reason)
      await clock.sleep(jittered(retry.after, attempt, random), {
        signal: request.signal,
        name: `retry of ${request.verb} ${request.path}`,
      })
    }
  }
}

type Outcome = { readonly response: TransportResponse } | { readonly error: unknown }

async function attemptOnce(inner: Transport, request: TransportRequest): Promise<Outcome> {
  try {
    return { response: await inner(request) }
  } catch (error) {
    return { error }
  }
}

function unwrap(outcome: Outcome): TransportResponse {
  if ("error" in outcome) throw outcome.error
  return outcome.response
}

interface Retry {
  readonly reason: string
  /** The server's Retry-After, in milliseconds. */
  readonly after?: number
}

const retryableStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

function retryFor(request: TransportRequest, outcome: Outcome, now: number): Retry | undefined {
  if ("error" in outcome) return isRetryable(outcome.error) && isIdempotent(request) ? { reason: "the connection was lost" } : undefined
  const { status, headers } = outcome.response
  if (!retryableStatuses.has(status)) return undefined
  const after = retryAfterHeader(headers, now)
  const isDeferred = after !== undefined && (status === 429 || status === 503)
  return isDeferred || isIdempotent(request) ? { reason: `the server answered ${status}`, after } : undefined
}

/** A PATCH is not idempotent, unless it is a server-side apply. */
function isIdempotent({ verb, headers }: TransportRequest): boolean {
  if (verb === "PATCH") return headers["content-type"]?.startsWith("application/apply-patch") ?? false
  return verb !== "POST"
}

/** Never before the server's Retry-After; randomized, so that many clients do not return together. */
function jittered(after: number | undefined, attempt: number, random: Random): number {
  if (after !== undefined) return after + random.next() * Math.max(firstWait, after / 4)
  return Math.min(maxBackoff, firstWait * 2 ** (attempt - 1)) * (0.5 + random.next() / 2)
}
