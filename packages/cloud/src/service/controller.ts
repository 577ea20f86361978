import { keyOf } from "@pilothouse/api"
import { nodes, type Service, services } from "@pilothouse/api/core/v1"
import {
  type Change,
  type Controller,
  controller,
  countFlag,
  exponentialLimiter,
  index,
  type Reader,
  textFlag,
  watch,
} from "@pilothouse/runtime"
import { type Clock, type Metrics, noMetrics } from "@pilothouse/seams"
import { CloudCalls } from "../provider/cloud-calls.ts"
import { cloudDescriptor, requireCapability } from "../provider/cloud-descriptor.ts"
import type { LoadBalancers } from "../provider/provider.ts"
import { decide } from "./decide.ts"
import { nodeSyncMetrics } from "./metrics.ts"
import { needsUpdate } from "./needs-update.ts"
import { concernsBalancers } from "./node-set.ts"
import { observe } from "./observe.ts"
import { balancerExecutors } from "./operations.ts"
import { ServiceCache } from "./service-cache.ts"
import { settle } from "./settle.ts"
import { needsCleanup, wantsLoadBalancer } from "./wants-load-balancer.ts"

/** The cloud's load balancers, and the flags of service-lb-controller. */
export interface ServiceOptions {
  readonly balancers: LoadBalancers
  readonly clock: Clock
  /** --concurrent-service-syncs: cloud calls that begin at the same time. A call that takes longer than 100 ms no longer counts. */
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
}

const minWait = 5000

const maxWait = 300_000

/** Services that may wait for the cloud at the same time. A Service that waits costs little, and must not block another. */
const maxWaiting = 500

const balancedServices = index(services, "wants-load-balancer", (service) => (wantsLoadBalancer(service) ? ["yes"] : []))

/**
 * Keeps a load balancer in the cloud for every Service of type LoadBalancer, and writes into the Service where it is.
 * The finalizer holds a Service until its balancer is gone; every node that can take traffic stands behind every balancer.
 * What the cloud refuses is tried again after 5 s, then twice as long up to 300 s, or when the cloud says.
 */
export function serviceController({ balancers, clock, concurrentSyncs = 1, metrics = noMetrics }: ServiceOptions): Controller {
  const context = {
    balancers,
    cache: new ServiceCache(),
    calls: new CloudCalls({ clock, maxConcurrent: concurrentSyncs }),
    nodeSync: nodeSyncMetrics(metrics, clock),
  }
  return controller("service-lb-controller", {
    for: services,
    predicate: (change) => concernsBalancer(change as Change<Service>),
    watches: [watch(nodes, "a node came, went or changed", balancedServiceKeys, { predicate: concernsBalancers })],
    indexes: [balancedServices],
    maxConcurrentReconciles: maxWaiting,
    backoff: () => exponentialLimiter({ base: minWait, max: maxWait }),
    eventSource: "service-controller",
    executors: balancerExecutors(context),
    observe: (key, read, signal) => observe(key, read, signal, context),
    decide,
    settle,
  })
}

/** service-lb-controller in the table of cloud controllers. */
export const serviceDescriptor = cloudDescriptor({
  name: "service-lb-controller",
  aliases: ["service"],
  flags: {
    "concurrent-service-syncs": countFlag(
      1,
      "load balancers that are worked on at once; one that the cloud takes long over does not count",
    ),
    "cluster-name": textFlag("kubernetes", "what this cluster is called in the cloud; two clusters on one cloud need two names"),
  },
  create: (set, { provider, clock, metrics }) =>
    serviceController({
      balancers: requireCapability(provider, "loadBalancers", "load balancers"),
      clock,
      metrics,
      concurrentSyncs: set["concurrent-service-syncs"],
    }),
})

/** The predicate for Services: whether a change may require work on a load balancer. */
export function concernsBalancer(change: Change<Service>): boolean {
  if (change.type === "updated") return needsUpdate(change.old, change.object) || needsCleanup(change.object)
  return wantsLoadBalancer(change.object) || needsCleanup(change.object)
}

function balancedServiceKeys(_node: unknown, read: Reader): readonly string[] {
  return read.byIndex(balancedServices, "yes").map(keyOf)
}
