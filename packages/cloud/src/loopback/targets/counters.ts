import type { Counter, Gauge, Labels, Metrics } from "@pilothouse/seams"

/** The metrics of loopback balancers. Several ports count for one Service: each adds its own part to the gauges. */
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

/** Counters whose series of a Service last until everything that counts for it has been released. */
export interface ServiceCounters extends Counters {
  /** Keeps the series of the Service until it is disposed. A balancer, each open port of it and each node port hold their own. */
  hold(service: string): Disposable
}

/** Registers the counters; once per registry, as balancers and node ports of one Service share its series. */
export function loopbackCounters(metrics: Metrics): ServiceCounters {
  return withHolds(makeCounters(metrics))
}

/** Every label set that counts for a Service. */
function labelsOf(service: string): readonly Labels[] {
  return [{ service }, { service, direction: "in" }, { service, direction: "out" }]
}

function withHolds(counters: Counters): ServiceCounters {
  const holds = new Map<string, number>()
  const release = (service: string) => {
    const left = (holds.get(service) ?? 1) - 1
    if (left > 0) return void holds.set(service, left)
    holds.delete(service)
    for (const metric of Object.values(counters) as readonly Counter[]) for (const labels of labelsOf(service)) metric.remove(labels)
  }
  const hold = (service: string): Disposable => {
    holds.set(service, (holds.get(service) ?? 0) + 1)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) release(service)
        isHeld = false
      },
    }
  }
  return { ...counters, hold }
}

function makeCounters(metrics: Metrics): Counters {
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
