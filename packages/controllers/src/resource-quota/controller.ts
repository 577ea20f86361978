import { persistentVolumeClaims, pods, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { type Controller, controller, countFlag, durationFlag } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { decide } from "./decide.ts"
import { isDeviceClasses, needsFullObjects } from "./devices.ts"
import { isSpecChange, quotaPriority, usageWatches } from "./enqueue.ts"
import { isCounted, isDefinitions, observe } from "./observe.ts"
import { UsageCache } from "./usage-cache.ts"

export interface ResourceQuotaOptions {
  /** --concurrent-resource-quota-syncs */
  readonly concurrentSyncs?: number
  /** --resource-quota-sync-period, in milliseconds; 0 disables periodic recounts. */
  readonly syncPeriod?: number
}

/**
 * Counts the usage of a namespace against its quotas, over every resource that the server has, and writes it when it differs.
 * The API server adds the usage of new objects at admission; this controller subtracts deleted, finished and smaller ones.
 * Usage follows the caches: the cost of a reconcile depends on the changes since the last one, not on the size of the namespace.
 * A resource whose cache has not synced keeps its old number, and the rest is still written.
 * Pods, services, claims and device classes are cached whole; of everything else only the metadata, because only its number counts.
 */
export function resourceQuotaController({ concurrentSyncs = 5, syncPeriod = 300_000 }: ResourceQuotaOptions = {}): Controller {
  const usages = new UsageCache()
  return controller("resourcequota-controller", {
    for: resourceQuotas,
    predicate: isSpecChange,
    reads: [pods, services, persistentVolumeClaims],
    dynamicKinds: {
      metadataOnly: (of) => !needsFullObjects(of),
      includes: (of) => isCounted(of) || isDeviceClasses(of) || isDefinitions(of),
      watches: usageWatches,
    },
    cacheObservers: usages.cacheObservers(),
    maxConcurrentReconciles: concurrentSyncs,
    priority: quotaPriority,
    observe: (key, read) => observe(key, read, usages),
    decide: (observed, { now }) => decide(observed, { now, syncPeriod }),
  })
}

export const resourceQuotaDescriptor = descriptor({
  name: "resourcequota-controller",
  aliases: ["resourcequota"],
  flags: {
    "concurrent-resource-quota-syncs": countFlag(5, "quotas counted at once"),
    "resource-quota-sync-period": durationFlag("5m", "how often every quota is counted again; 0 for never"),
  },
  create: (set) =>
    resourceQuotaController({ concurrentSyncs: set["concurrent-resource-quota-syncs"], syncPeriod: set["resource-quota-sync-period"] }),
})
