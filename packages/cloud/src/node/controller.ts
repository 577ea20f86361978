import { deepEqual } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller } from "@pilothouse/runtime"
import { type Clock, type Duration, type Metrics, milliseconds, noMetrics } from "@pilothouse/seams"
import { CloudCalls } from "../cloud-calls.ts"
import type { Instances } from "../provider.ts"
import { decide } from "./decide.ts"
import { cloudNodeMetrics } from "./metrics.ts"
import { type ObserveContext, observe } from "./observe.ts"

export interface CloudNodeOptions {
  readonly instances: Instances
  readonly clock: Clock
  /** --concurrent-node-syncs */
  readonly concurrentSyncs?: number
  /** --node-status-update-frequency */
  readonly statusUpdateFrequency?: Duration
  readonly metrics?: Metrics
}

/** Nodes that may wait for the cloud at once. */
const maxWaiting = 100

/**
 * Gives a new node what only the cloud knows: provider ID, zone, region, type, addresses; then takes the taint off that keeps pods away.
 * Later it keeps the addresses as the cloud says.
 */
export function cloudNodeController(options: CloudNodeOptions): Controller {
  const { instances, clock, concurrentSyncs = 1, statusUpdateFrequency = "5m", metrics = noMetrics } = options
  const calls = new CloudCalls({ clock, atOnce: concurrentSyncs })
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

/** Heartbeats do not. */
function concernsCloud(change: Change<Node>): boolean {
  if (change.type !== "updated") return true
  const { old, object } = change
  return !deepEqual(old.metadata.labels, object.metadata.labels) || !deepEqual(old.spec?.taints, object.spec?.taints)
}
