import { deepEqual, isConditionTrue, keyOf } from "@pilothouse/api"
import { type Node, nodes, pods, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import {
  type Change,
  type Controller,
  controller,
  countFlag,
  durationFlag,
  index,
  podsByNode,
  type Reader,
  watch,
} from "@pilothouse/runtime"
import { type Duration, type Metrics, milliseconds } from "@pilothouse/seams"
import { serviceBackoff } from "../service-endpoints/backoff.ts"
import { concernsEndpoints } from "../service-endpoints/endpoint-pods.ts"
import { servicesBySelector, servicesOf } from "../service-endpoints/selector.ts"
import { descriptor } from "../shared/descriptor.ts"
import { podsByLabel } from "../shared/selected-pods.ts"
import { decide, settle } from "./decide.ts"
import { usesTopologyHints } from "./hints.ts"
import { endpointSliceMetrics } from "./metrics.ts"
import { observe, serviceKeys, slicesByService } from "./observe.ts"

const zoneLabel = "topology.kubernetes.io/zone"

/** The one value that Services with the topology annotation stand under. */
const topologyServices = "yes"

const servicesWithTopology = index(services, "topology-hints", (service) => (usesTopologyHints(service) ? [topologyServices] : []))

/** Services that select a pod on the node. */
function servicesOnNode({ metadata }: Node, read: Reader): readonly string[] {
  return read.byIndex(podsByNode, metadata.name ?? "").flatMap((pod) => servicesOf(pod, read))
}

/** Endpoints name the zone of their node, and pods wait for a node that is not in the cache yet. At the start every Service is reconciled anyway. */
function mayPlacePods(change: Change<Node>, initial: boolean): boolean {
  if (change.type === "updated") return nodeZone(change.old) !== nodeZone(change.object)
  return change.type === "added" && !initial
}

function changesShares(change: Change<Node>, initial: boolean): boolean {
  if (change.type !== "updated") return !initial
  return !deepEqual(zoneShareInputs(change.old), zoneShareInputs(change.object))
}

function zoneShareInputs(node: Node): unknown {
  return [nodeZone(node), isConditionTrue(node.status?.conditions, "Ready"), node.status?.allocatable?.cpu]
}

function nodeZone({ metadata }: Node): string | undefined {
  return metadata.labels?.[zoneLabel]
}

export const endpointSliceDescriptor = descriptor({
  name: "endpointslice-controller",
  aliases: ["endpointslice"],
  flags: {
    "concurrent-service-endpoint-syncs": countFlag(5, "Services worked on at once"),
    "max-endpoints-per-slice": countFlag(100, "endpoints that one EndpointSlice holds"),
    "endpointslice-updates-batch-period": durationFlag("0s", "how long changes of pods are gathered before EndpointSlices are written"),
  },
  create: (set, { metrics }) =>
    endpointSliceController({
      metrics,
      concurrentSyncs: set["concurrent-service-endpoint-syncs"],
      maxEndpointsPerSlice: set["max-endpoints-per-slice"],
      updatesBatchPeriod: set["endpointslice-updates-batch-period"],
    }),
})

export interface EndpointSliceOptions {
  /** --concurrent-service-endpoint-syncs */
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
  /** --max-endpoints-per-slice */
  readonly maxEndpointsPerSlice?: number
  /** --endpointslice-updates-batch-period: how long changes of pods are gathered before a Service is reconciled. */
  readonly updatesBatchPeriod?: Duration
}

/** Several changed slices cause one reconcile. */
const minSliceDelay = 1000

/**
 * Keeps the EndpointSlices of each Service with a selector: per address family and list of ports, at most 100 endpoints in each.
 * Watches Services, the pods they select, those pods' nodes (for zones) and its own slices; writes few slices rather than packing them tightly.
 * Hints say which zone or node an endpoint should serve. Leaves slices of other managers alone, and what others keep in annotations and labels.
 */
export function endpointSliceController(options: EndpointSliceOptions = {}): Controller {
  const { concurrentSyncs = 5, maxEndpointsPerSlice = 100, updatesBatchPeriod = 0, metrics } = options
  const counted = metrics && endpointSliceMetrics(metrics, maxEndpointsPerSlice)
  const sliceDelay = Math.max(minSliceDelay, milliseconds(updatesBatchPeriod))
  return controller("endpointslice-controller", {
    for: services,
    watches: [
      watch(pods, "a pod that it selects changed", servicesOf, { predicate: concernsEndpoints, delay: updatesBatchPeriod }),
      watch(endpointSlices, "one of its slices changed", serviceKeys, { delay: sliceDelay }),
      watch(nodes, "a node of its pods came, or moved to another zone", servicesOnNode, { predicate: mayPlacePods }),
      watch(nodes, "the CPUs of the zones changed", (_node, read) => read.byIndex(servicesWithTopology, topologyServices).map(keyOf), {
        predicate: changesShares,
      }),
    ],
    indexes: [podsByLabel, podsByNode, servicesBySelector, servicesWithTopology, slicesByService],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: serviceBackoff({ base: 1000 }),
    eventSource: "endpoint-slice-controller",
    observe,
    decide: (observed) => decide(observed, { maxEndpointsPerSlice }),
    settle,
    onReconciled: counted?.ended,
    onCacheLagging: counted?.onCacheLagging,
  })
}
