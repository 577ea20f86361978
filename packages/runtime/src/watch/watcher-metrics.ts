import { type Clock, type Labels, type Metrics, noMetrics } from "@pilothouse/seams"
import type { WatcherObserver } from "./watcher-events.ts"

export interface WatcherMetricsOptions {
  /** The resource, "pods": the label `name`. */
  readonly name: string
  readonly clock: Clock
  readonly metrics?: Metrics
}

/**
 * Derives metrics from the events of a watcher. Those that client-go's reflector had carry its names; reflector_connected and
 * reflector_failures_total are additions.
 */
export function watcherMetrics({ name, clock, metrics = noMetrics }: WatcherMetricsOptions): WatcherObserver {
  const labels: Labels = { name }
  const lists = metrics.counter({ name: "reflector_lists_total", help: "Complete states received, streamed or in pages" })
  const items = metrics.histogram({
    name: "reflector_items_per_list",
    help: "Objects in a complete state",
    buckets: [1, 10, 100, 1000, 10_000, 100_000],
  })
  const watches = metrics.counter({ name: "reflector_watches_total", help: "Watches opened" })
  const short = metrics.counter({ name: "reflector_short_watches_total", help: "Watches that ended within a second" })
  const duration = metrics.histogram({
    name: "reflector_watch_duration_seconds",
    help: "How long watches lasted",
    buckets: [1, 10, 60, 300, 600, 3600],
  })
  const failures = metrics.counter({ name: "reflector_failures_total", help: "Requests that failed and were followed by a wait" })
  const connected = metrics.gauge({ name: "reflector_connected", help: "1 while a watch is open" })
  let since = 0
  return (event) => {
    if (event.type === "connected") {
      since = clock.elapsed()
      watches.add(1, labels)
      connected.set(1, labels)
    } else if (event.type === "disconnected") {
      const seconds = (clock.elapsed() - since) / 1000
      duration.observe(seconds, labels)
      if (seconds < 1) short.add(1, labels)
      connected.set(0, labels)
    } else if (event.type === "listed") {
      lists.add(1, labels)
      items.observe(event.count, labels)
    } else failures.add(1, labels)
  }
}
