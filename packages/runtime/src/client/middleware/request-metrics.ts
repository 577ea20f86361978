import type { Clock, Metrics, Transport } from "@pilothouse/seams"

/** Options of request metrics. */
export interface MeasureOptions {
  readonly metrics: Metrics
  readonly clock: Clock
  /** The server, as label `host`. */
  readonly host?: string
}

/** client-go's buckets: from 5 ms to a minute. */
const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]

/** Counts requests and their duration until the response, or the start of a stream, under client-go's names. */
export function measured(inner: Transport, { metrics, clock, host = "" }: MeasureOptions): Transport {
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
  })
  const duration = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds. Broken down by verb, and host.",
    buckets,
  })
  return async (request) => {
    const began = clock.elapsed()
    let code = "<error>"
    try {
      const response = await inner(request)
      code = String(response.status)
      return response
    } finally {
      duration.observe((clock.elapsed() - began) / 1000, { verb: request.verb, host })
      requests.add(1, { code, method: request.verb, host })
    }
  }
}
