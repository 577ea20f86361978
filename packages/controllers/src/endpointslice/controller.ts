import { keyOf } from "@pilothouse/api"
import { nodes, pods, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Controller, controller, podsByNode, watch } from "@pilothouse/runtime"
import { type Duration, type Metrics, milliseconds } from "@pilothouse/seams"
import { serviceBackoff } from "../service-endpoints/backoff.ts"
import { concernsEndpoints } from "../service-endpoints/endpoint-pods.ts"
import { podsByLabel, servicesBySelector, servicesOf } from "../service-endpoints/selector.ts"
import { decide } from "./decide.ts"
import { endpointSliceMetrics } from "./metrics.ts"
import { changesShares, mayPlacePods, servicesOnNode, servicesWithTopology, topologyServices } from "./node-changes.ts"
import { observe, serviceOf, slicesByService } from "./observe.ts"
import { settle } from "./settle.ts"

export interface EndpointSliceOptions {
  /** --concurrent-service-endpoint-syncs */
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
  /** --max-endpoints-per-slice */
  readonly maxEndpointsPerSlice?: number
  /** --endpointslice-updates-batch-period: how long changes of pods are gathered before a Service is looked at. */
  readonly updatesBatchPeriod?: Duration
}

/** Changes of several slices come to one look. */
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
      watch(endpointSlices, "one of its slices changed", serviceOf, { delay: sliceDelay }),
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
    onCacheLagging: counted?.putOff,
  })
}
