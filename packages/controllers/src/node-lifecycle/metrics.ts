import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, exponentialBuckets, gaugeFamily, histogramFamily } from "../shared/metric-families.ts"
import { isReady } from "./node-conditions.ts"
import type { Observed } from "./observe.ts"

const subsystem = "node_collector"

export const nodeLifecycleFamilies = {
  health: gaugeFamily(`${subsystem}_zone_health`, ["zone"], "Share of the zone's nodes that are ready, in percent"),
  size: gaugeFamily(`${subsystem}_zone_size`, ["zone"], "Nodes of the zone"),
  unhealthy: gaugeFamily(`${subsystem}_unhealthy_nodes_in_zone`, ["zone"], "Nodes of the zone that are not ready"),
  evictions: counterFamily(`${subsystem}_evictions_total`, ["zone"], "Nodes of the zone that got an eviction taint"),
  oneNode: histogramFamily(
    `${subsystem}_update_node_health_duration_seconds`,
    [],
    "How long the reconcile of one node took",
    exponentialBuckets(0.001, 4, 8),
  ),
  allNodes: histogramFamily(
    `${subsystem}_update_all_nodes_health_duration_seconds`,
    [],
    "How long the reconcile of the cluster took; nodes are reconciled one by one",
    exponentialBuckets(0.01, 4, 8),
  ),
}

/** Returns an observer of reconciles that keeps upstream's metrics of zones and evictions. */
export function nodeLifecycleMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { health, size, unhealthy, evictions, oneNode, allNodes } = createMetrics(metrics, nodeLifecycleFamilies)
  return (_key, { observed, results, milliseconds }) => {
    if (observed?.concern === "node") oneNode.observe(milliseconds / 1000)
    if (observed?.concern === "cluster") allNodes.observe(milliseconds / 1000)
    if (observed?.concern !== "zone") return
    const { zone, nodes } = observed
    const notReady = nodes.filter((node) => !isReady(node)).length
    size.set(nodes.length, { zone })
    unhealthy.set(notReady, { zone })
    health.set(nodes.length === 0 ? 100 : (100 * (nodes.length - notReady)) / nodes.length, { zone })
    evictions.add(results.filter(({ operation, ok }) => operation.do === "patch" && ok === true).length, { zone })
  }
}
