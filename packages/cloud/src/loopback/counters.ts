import type { Counter, Gauge, Metrics } from "@pilothouse/seams"

/** What a balancer tells about itself. Several ports tell of one Service: each adds its own part to the gauges. */
export interface Counters {
  readonly connections: Counter
  readonly open: Gauge
  readonly bytes: Counter
  readonly refused: Counter
  readonly failed: Counter
  readonly down: Gauge
  readonly recovered: Counter
  readonly datagrams: Counter
  readonly flows: Gauge
  readonly dropped: Counter
}

export function countersOf(metrics: Metrics): Counters {
  const counter = (name: string, help: string) => metrics.counter({ name: `pilothouse_loopback_${name}`, help })
  const gauge = (name: string, help: string) => metrics.gauge({ name: `pilothouse_loopback_${name}`, help })
  return {
    connections: counter("connections_total", "TCP connections that reached an endpoint"),
    open: gauge("connections", "TCP connections that are open"),
    bytes: counter("bytes_total", "Bytes of TCP connections that have ended, by direction"),
    refused: counter("refused_total", "Connections and flows from outside the source ranges"),
    failed: counter("connect_failures_total", "Endpoints that refused a connection"),
    down: gauge("endpoints_down", "Ready endpoints that get no connection, as they refused one and fail their health checks since"),
    recovered: counter("endpoints_recovered_total", "Endpoints that were down and passed a health check"),
    datagrams: counter("datagrams_total", "UDP datagrams, by direction"),
    flows: gauge("flows", "UDP flows that are open"),
    dropped: counter("flows_dropped_total", "UDP flows that ended early as their port had 1,000"),
  }
}
