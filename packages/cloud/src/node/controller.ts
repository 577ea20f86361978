import { deepEqual, parseTime } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, durationFlag, type ReconcileResult } from "@pilothouse/runtime"
import { type Clock, type Duration, type Metrics, milliseconds, noMetrics } from "@pilothouse/seams"
import { CloudCalls } from "../provider/cloud-calls.ts"
import { cloudDescriptor, requireCapability } from "../provider/cloud-descriptor.ts"
import type { Instances } from "../provider/provider.ts"
import { decide } from "./decide.ts"
import { type ObserveContext, type Observed, observe } from "./observe.ts"
import { isUninitialized } from "./uninitialized.ts"

/** The cloud, and the flags of cloud-node-controller. */
export interface CloudNodeOptions {
  readonly instances: Instances
  readonly clock: Clock
  /** --concurrent-node-syncs */
  readonly concurrentSyncs?: number
  /** --node-status-update-frequency */
  readonly statusUpdateFrequency?: Duration
  readonly metrics?: Metrics
}

/** Nodes that may wait for the cloud at the same time. */
const maxWaiting = 100

/**
 * Initializes a new node with what only the cloud knows: provider ID, zone, region, instance type, addresses; the taint that keeps pods away is
 * removed in the same write. Afterwards it keeps the addresses in line with the cloud.
 */
export function cloudNodeController(options: CloudNodeOptions): Controller {
  const { instances, clock, concurrentSyncs = 1, statusUpdateFrequency = "5m", metrics = noMetrics } = options
  const calls = new CloudCalls({ clock, maxConcurrent: concurrentSyncs })
  const context: ObserveContext = { instances, calls, clock, frequency: milliseconds(statusUpdateFrequency), asked: new Map() }
  return controller("cloud-node-controller", {
    for: nodes,
    predicate: (change) => concernsCloud(change as Change<Node>),
    maxConcurrentReconciles: maxWaiting,
    observe: (key, read, signal) => observe(key, read, signal, context),
    decide,
    onReconciled: cloudNodeMetrics(metrics),
  })
}

/** cloud-node-controller in the table of cloud controllers. */
export const cloudNodeDescriptor = cloudDescriptor({
  name: "cloud-node-controller",
  aliases: ["cloud-node"],
  flags: {
    "concurrent-node-syncs": countFlag(1, "nodes that the cloud is asked about at once; one that it takes long over does not count"),
    "node-status-update-frequency": durationFlag("5m", "how often the cloud is asked for the addresses of a node"),
  },
  create: (set, { provider, clock, metrics }) =>
    cloudNodeController({
      instances: requireCapability(provider, "instances", "instances"),
      clock,
      metrics,
      concurrentSyncs: set["concurrent-node-syncs"],
      statusUpdateFrequency: set["node-status-update-frequency"],
    }),
})

/** Reports whether labels or taints changed; heartbeats are ignored. */
function concernsCloud(change: Change<Node>): boolean {
  if (change.type !== "updated") return true
  const { old, object } = change
  return !deepEqual(old.metadata.labels, object.metadata.labels) || !deepEqual(old.spec?.taints, object.spec?.taints)
}

/** 1 s to 17 min, as upstream. */
const buckets = Array.from({ length: 6 }, (_, power) => 4 ** power)

/** Measures how long new nodes wait for the cloud, under upstream's names. */
function cloudNodeMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
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
