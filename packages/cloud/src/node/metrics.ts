import { parseTime } from "@pilothouse/api"
import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import type { Observed } from "./observe.ts"
import { isUninitialized } from "./uninitialized.ts"

/** 1 s to 17 min, as upstream. */
const buckets = Array.from({ length: 6 }, (_, power) => 4 ** power)

/** How long new nodes wait for the cloud, under upstream's names. */
export function cloudNodeMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const named = (name: string, help: string) => metrics.histogram({ name: `node_controller_${name}`, help, buckets })
  const taint = named(
    "cloud_provider_taint_removal_delay_seconds",
    "From a node's creation until it lost the taint of nodes that the cloud has not described",
  )
  const sync = named("initial_node_sync_delay_seconds", "From a node's creation until it shows what the cloud says of it")
  return (_key, { observed, results, now, error }) => {
    const created = observed?.node.metadata.creationTimestamp
    if (observed === undefined || created === undefined || !isUninitialized(observed.node)) return
    // The first write takes the taint off; what follows it are the addresses.
    if (results[0]?.ok !== true) return
    const seconds = (now - parseTime(created)) / 1000
    taint.observe(seconds)
    if (error === undefined) sync.observe(seconds)
  }
}
