import type { Clock, Metrics } from "@pilothouse/seams"

/** 1 s to 16384 s, as upstream: a cloud may take its time. */
const buckets = Array.from({ length: 15 }, (_, power) => 2 ** power)

/** Metrics about the nodes behind load balancers, under upstream's names. */
export interface NodeSyncMetrics {
  /** Measures the update of one balancer's nodes. Rejects as the work does. */
  update<T>(work: () => Promise<T>): Promise<T>
}

/** Registers the metrics of node updates. */
export function nodeSyncMetrics(metrics: Metrics, clock: Clock): NodeSyncMetrics {
  const { syncs, errors, latency, hostLatency } = families(metrics)
  // All balancers are updated for a change of nodes, side by side: the sync has ended when the last of them has.
  let open = 0
  let began = 0
  return {
    async update(work) {
      const started = clock.elapsed()
      if (open++ === 0) began = started
      syncs.add(1)
      try {
        return await work()
      } catch (error) {
        errors.add(1)
        throw error
      } finally {
        hostLatency.observe((clock.elapsed() - started) / 1000)
        if (--open === 0) latency.observe((clock.elapsed() - began) / 1000)
      }
    },
  }
}

function families(metrics: Metrics) {
  const named = (name: string, help: string) => ({ name: `service_controller_${name}`, help })
  return {
    syncs: metrics.counter(named("loadbalancer_sync_total", "Load balancers whose nodes were updated after a change")),
    errors: metrics.counter(named("nodesync_error_total", "Load balancers whose nodes could not be updated")),
    latency: metrics.histogram({
      ...named("nodesync_latency_seconds", "From a change of nodes until all load balancers have them"),
      buckets,
    }),
    hostLatency: metrics.histogram({
      ...named("update_loadbalancer_host_latency_seconds", "How long the cloud took to give one load balancer its nodes"),
      buckets,
    }),
  }
}
