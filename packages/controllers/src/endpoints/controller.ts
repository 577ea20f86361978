import { keyOf } from "@pilothouse/api"
import { type Endpoints, endpoints, pods, services } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, durationFlag, watch } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import { serviceBackoff } from "../service-endpoints/backoff.ts"
import { concernsEndpoints } from "../service-endpoints/endpoint-pods.ts"
import { servicesBySelector, servicesOf } from "../service-endpoints/selector.ts"
import { descriptor } from "../shared/descriptor.ts"
import { podsByLabel } from "../shared/selected-pods.ts"
import { decide, managedByLabel, managedByUs, settle } from "./decide.ts"
import { observe } from "./observe.ts"

export const endpointsDescriptor = descriptor({
  name: "endpoints-controller",
  aliases: ["endpoint"],
  flags: {
    "concurrent-endpoint-syncs": countFlag(5, "Services worked on at once"),
    "endpoint-updates-batch-period": durationFlag("0s", "how long changes of pods are gathered before Endpoints are written"),
  },
  create: (set) =>
    endpointsController({
      concurrentSyncs: set["concurrent-endpoint-syncs"],
      updatesBatchPeriod: set["endpoint-updates-batch-period"],
    }),
})

export interface EndpointsOptions {
  /** --concurrent-endpoint-syncs */
  readonly concurrentSyncs?: number
  /** --endpoint-updates-batch-period: how long changes of pods are gathered before a Service is reconciled. */
  readonly updatesBatchPeriod?: Duration
}

/**
 * Keeps the Endpoints of each Service with a selector: the addresses of its pods, ready and not ready, by port; at most 1000 of them.
 * Watches Services, the pods they select and its own Endpoints; writes Endpoints of the Service's name, and deletes those whose Service is gone.
 * Leaves Services without selector and ExternalNames alone, and on every update what others keep in annotations and labels.
 */
export function endpointsController({ concurrentSyncs = 5, updatesBatchPeriod = 0 }: EndpointsOptions = {}): Controller {
  return controller("endpoints-controller", {
    for: services,
    watches: [
      watch(pods, "a pod that it selects changed", servicesOf, { predicate: concernsEndpoints, delay: updatesBatchPeriod }),
      watch(endpoints, "its Endpoints changed", (object) => [keyOf(object)], { predicate: concernsUs }),
    ],
    indexes: [podsByLabel, servicesBySelector],
    maxConcurrentReconciles: concurrentSyncs,
    backoff: serviceBackoff(),
    eventSource: "endpoint-controller",
    observe,
    decide,
    settle,
  })
}

/**
 * Endpoints that are deleted come back, and edits of managed ones are undone. At the start all are reconciled: their Service may have been deleted while no controller
 * ran. Others that come or change later are left alone: people apply Endpoints before the Service they belong to.
 */
function concernsUs(change: Change<Endpoints>, initial: boolean): boolean {
  return initial || change.type === "deleted" || change.object.metadata.labels?.[managedByLabel] === managedByUs
}
