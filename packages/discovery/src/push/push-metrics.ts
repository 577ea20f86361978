import type { Labels, Metrics } from "@pilothouse/seams"
import { type Kind, shortNames } from "../xds/kinds.ts"

/** The counters that people's dashboards of Istio already read. */
export function pushMetrics(metrics: Metrics) {
  const counter = (name: string, help: string) => metrics.counter({ name, help })
  const pushes = counter("pilot_xds_pushes", "Responses sent, by type")
  const rejects = counter("pilot_total_xds_rejects", "Responses that a client refused")
  const triggers = counter("pilot_push_triggers", "Changes that led to a push, by type")
  const convergence = metrics.histogram({
    name: "pilot_proxy_convergence_time",
    help: "Seconds from a change to its ACK by a client",
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.5, 1, 3, 5, 10, 20, 30],
  })
  const size = metrics.histogram({
    name: "pilot_xds_config_size_bytes",
    help: "Bytes of a response",
    buckets: [1, 10_000, 1_000_000, 4_000_000, 10_000_000, 40_000_000],
  })
  const debounced = metrics.histogram({
    name: "pilot_debounce_time",
    help: "Seconds from the first change to the push that it is merged into",
    buckets: [0.01, 0.1, 1, 3, 5, 10, 20, 30],
  })
  const seconds = (name: string, help: string) =>
    metrics.histogram({ name, help, buckets: [0.0001, 0.001, 0.01, 0.1, 1, 3, 5, 10, 20, 30] })
  const pushTime = seconds("pilot_xds_push_time", "Seconds to make a response, by type")
  const sendTime = seconds("pilot_xds_send_time", "Seconds until the connection took a response")
  const queueTime = seconds("pilot_proxy_queue_time", "Seconds that a change waited until its client could take it")
  const inbound = counter("pilot_inbound_updates", "Updates from the registries, by type")
  const expired = counter("pilot_xds_expired_nonce", "Requests that answer an older response than the newest, by type")
  const internal = counter("pilot_total_xds_internal_errors", "Streams that ended because of a fault of the server")
  const away = counter("pilot_xds_refused_clients", "Clients and connections that were refused, by reason")
  const labels = {
    cluster: typeLabel("cluster"),
    endpoint: typeLabel("endpoint"),
    listener: typeLabel("listener"),
    route: typeLabel("route"),
  }
  const label = typeLabels()
  const rejectOf = (kind: Kind) => counter(`pilot_xds_${shortNames[kind]}_reject`, `Refused responses of ${shortNames[kind].toUpperCase()}`)
  return {
    sent: (kind: Kind, bytes: number) => {
      pushes.add(1, labels[kind])
      size.observe(bytes, labels[kind])
    },
    rejected: (kind: Kind) => {
      rejects.add()
      rejectOf(kind).add()
    },
    made: (kind: Kind, milliseconds: number) => pushTime.observe(milliseconds / 1000, labels[kind]),
    written: (milliseconds: number) => sendTime.observe(milliseconds / 1000),
    queued: (milliseconds: number) => queueTime.observe(milliseconds / 1000),
    expired: (kind: Kind) => expired.add(1, labels[kind]),
    internalError: () => internal.add(),
    rejectedClient: (reason: string) => away.add(1, { reason }),
    ...gauges(metrics),
    inbound: (type: "eds" | "svc" | "svcdelete" | "config") => inbound.add(1, label(type)),
    triggered: (type: string) => triggers.add(1, label(type)),
    converged: (seconds: number) => convergence.observe(seconds),
    debounced: (seconds: number) => debounced.observe(seconds),
  }
}

/** One of each type, made once: passed with every change. There are few types. */
function typeLabels(): (type: string) => Labels {
  const made = new Map<string, Labels>()
  return (type) => {
    const known = made.get(type) ?? Object.freeze({ type })
    made.set(type, known)
    return known
  }
}

/** Made once and never changed: passed with every response. */
function typeLabel(kind: Kind): Labels {
  return Object.freeze({ type: shortNames[kind] })
}

/** How things are, not how often they happened. */
function gauges(metrics: Metrics) {
  const streams = metrics.gauge({ name: "pilot_xds", help: "Streams that are connected" })
  const services = metrics.gauge({ name: "pilot_services", help: "Services that are known" })
  const received = metrics.gauge({ name: "pilot_xds_recv_max", help: "Bytes of the largest request so far" })
  const empty = metrics.gauge({ name: "pilot_eds_no_instances", help: "Clusters without an endpoint" })
  const unknownPods = metrics.gauge({ name: "pilot_no_ip", help: "Connected clients that name a pod which is not known" })
  let largest = 0
  return {
    received: (bytes: number) => {
      if (bytes <= largest) return
      largest = bytes
      received.set(bytes)
    },
    emptyClusters: (count: number) => empty.set(count),
    streams: (count: number) => streams.set(count),
    services: (count: number) => services.set(count),
    strangers: (count: number) => unknownPods.set(count),
  }
}

/** The metrics of pushes. */
export type PushMetrics = ReturnType<typeof pushMetrics>
