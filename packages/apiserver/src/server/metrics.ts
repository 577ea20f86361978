import type { Counter, Gauge, Metrics } from "@pilothouse/seams"
import { type PodSecurityMetrics, podSecurityMetrics } from "../admission/pod-security/metrics.ts"
import { RequestMetrics } from "./request-metrics.ts"

export interface ServerMetrics {
  readonly requests: RequestMetrics
  readonly watchers: Gauge
  readonly watchersCut: Counter
  readonly podSecurity: PodSecurityMetrics
}

/** Under kube-apiserver's names where it has them. */
export function serverMetrics(metrics: Metrics): ServerMetrics {
  return {
    requests: new RequestMetrics(metrics),
    watchers: metrics.gauge({ name: "apiserver_longrunning_requests", help: "Open watches." }),
    watchersCut: metrics.counter({
      name: "apiserver_terminated_watchers_total",
      help: "Watches that were ended because their reader was too slow, by group and resource.",
    }),
    podSecurity: podSecurityMetrics(metrics),
  }
}
