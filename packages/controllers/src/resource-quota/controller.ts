import { persistentVolumeClaims, pods, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { type Controller, controller } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"
import { countFlag, durationFlag } from "../flag.ts"
import { decide } from "./decide.ts"
import { isDeviceClasses, isReadWhole } from "./devices.ts"
import { isForUs, priorityOf, watchesOf } from "./enqueue.ts"
import { isCounted, observe } from "./observe.ts"
import { Ledger } from "./usage-cache.ts"

export interface ResourceQuotaOptions {
  /** --concurrent-resource-quota-syncs */
  readonly concurrentSyncs?: number
  /** --resource-quota-sync-period, in milliseconds; 0 never counts again without a reason. */
  readonly syncPeriod?: number
}

/**
 * Counts what a namespace uses of what its quotas allow, over every resource that the server has, and writes it where it differs.
 * The API server adds what is made as it lets it in; here what is gone, has ended or has become smaller is given back.
 * Usage is kept in step with the caches: what a look costs depends on what has changed since the last one, not on the namespace.
 * Of what cannot be counted now (a resource whose cache is not full) the old number stays, and the rest is still written.
 * Pods, services, claims and device classes are read whole, of everything else only the metadata: it is counted by its number.
 */
export function resourceQuotaController({ concurrentSyncs = 5, syncPeriod = 300_000 }: ResourceQuotaOptions = {}): Controller {
  const ledger = new Ledger()
  return controller("resourcequota-controller", {
    for: resourceQuotas,
    predicate: isForUs,
    reads: [pods, services, persistentVolumeClaims],
    dynamicKinds: {
      metadataOnly: (of) => !isReadWhole(of),
      includes: (of) => isCounted(of) || isDeviceClasses(of),
      watches: watchesOf,
    },
    cacheObservers: ledger.followers(),
    maxConcurrentReconciles: concurrentSyncs,
    priority: priorityOf,
    observe: (key, read) => observe(key, read, ledger),
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
