import type { Counter, Gauge, Histogram, Metrics } from "@pilothouse/seams"

export interface ServerMetrics {
  readonly requests: Counter
  readonly duration: Histogram
  readonly watchers: Gauge
  readonly watchersCut: Counter
}

/** Under kube-apiserver's names where it has them. */
export function serverMetrics(metrics: Metrics): ServerMetrics {
  return {
    requests: metrics.counter({
      name: "apiserver_request_total",
      help: "Requests by verb, group, version, resource, subresource and status code.",
    }),
    duration: metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "How long requests took, watches left out, by verb and resource.",
    }),
    watchers: metrics.gauge({ name: "apiserver_longrunning_requests", help: "Open watches." }),
    watchersCut: metrics.counter({
      name: "apiserver_terminated_watchers_total",
      help: "Watches that were ended because their reader was too slow, by group and resource.",
    }),
  }
}
