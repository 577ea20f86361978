import { keyOf } from "@pilothouse/api"
import { type Endpoints, endpoints, type Service, services } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Change, type Controller, controller, countFlag, durationFlag, watch } from "@pilothouse/runtime"
import type { Duration, Metrics } from "@pilothouse/seams"
import { serviceBackoff } from "../service-endpoints/backoff.ts"
import { descriptor } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"
import { mirroringMetrics } from "./metrics.ts"
import { isMirrorable, mirroredKeys, mirroredSlices, observe } from "./observe.ts"

export const endpointSliceMirroringDescriptor = descriptor({
  name: "endpointslice-mirroring-controller",
  aliases: ["endpointslicemirroring"],
  flags: {
    "mirroring-concurrent-service-endpoint-syncs": countFlag(5, "Endpoints mirrored at once"),
    "mirroring-max-endpoints-per-subset": countFlag(1000, "addresses of one subset that are mirrored"),
    "mirroring-endpointslice-updates-batch-period": durationFlag("0s", "how long changes of mirrored EndpointSlices are gathered"),
  },
  create: (set, { metrics }) =>
    endpointSliceMirroringController({
      metrics,
      concurrentSyncs: set["mirroring-concurrent-service-endpoint-syncs"],
      maxEndpointsPerSubset: set["mirroring-max-endpoints-per-subset"],
      updatesBatchPeriod: set["mirroring-endpointslice-updates-batch-period"],
    }),
})

export interface EndpointSliceMirroringOptions {
  readonly metrics?: Metrics
  /** --mirroring-concurrent-service-endpoint-syncs */
  readonly concurrentSyncs?: number
  /** --mirroring-max-endpoints-per-subset */
  readonly maxEndpointsPerSubset?: number
  /** --mirroring-endpointslice-updates-batch-period */
  readonly updatesBatchPeriod?: Duration
}

/**
 * Copies the Endpoints of Services without selector, which users write by hand, into EndpointSlices: proxies, xDS and load balancers read only those.
 * Watches Endpoints, the Services of their names and its own slices; one slice for each address family and list of ports, owned by the Endpoints.
 * Deletes its slices when the Endpoints or the Service is gone, when the Service has a selector, and when the Endpoints say that they are not mirrored.
 */
export function endpointSliceMirroringController(options: EndpointSliceMirroringOptions = {}): Controller {
  const { concurrentSyncs = 5, maxEndpointsPerSubset = 1000, updatesBatchPeriod = 0, metrics } = options
  return controller("endpointslice-mirroring-controller", {
    for: endpoints,
    predicate: (change) => concernsMirror(change as Change<Endpoints>),
    watches: [
      watch(services, "its Service came, went, or has another kind of selector", (service) => [keyOf(service)], {
        predicate: changesSelector,
      }),
      watch(endpointSlices, "one of its slices changed", mirroredKeys, { delay: updatesBatchPeriod }),
    ],
    indexes: [mirroredSlices],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: serviceBackoff({ base: 1000, max: 100_000 }),
    eventSource: "endpoint-slice-mirroring-controller",
    observe,
    decide: (observed) => decide(observed, { maxEndpointsPerSubset }),
    onReconciled: metrics && mirroringMetrics(metrics),
  })
}

function concernsMirror(change: Change<Endpoints>): boolean {
  return isMirrorable(change.object) || (change.type === "updated" && isMirrorable(change.old))
}

function changesSelector(change: Change<Service>): boolean {
  if (change.type !== "updated") return !hasSelector(change.object)
  return hasSelector(change.old) !== hasSelector(change.object)
}

function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined
}
