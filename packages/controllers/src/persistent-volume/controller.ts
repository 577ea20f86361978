import { nodes, persistentVolumeClaims, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { countVolumes } from "./count-volumes.ts"
import { decideClaim } from "./decide-claim.ts"
import { decideVolume } from "./decide-volume.ts"
import { claimIndexes, claimsByUid, claimsFor, claimsOfClass, volumesByClaim, volumesFor } from "./indexes.ts"
import { volumeMetrics } from "./metrics.ts"
import { observeClaim } from "./observe-claim.ts"
import { observeVolume } from "./observe-volume.ts"
import { volumeExecutors } from "./operations.ts"
import { decideProvision, type ProvisionOptions } from "./provision.ts"
import { settleProvision } from "./settle-provision.ts"
import { settleVolume } from "./settle-volume.ts"
import { decideLeftovers, observeLeftovers } from "./sweep.ts"

const eventSource = "persistentvolume-controller"
/** A plugin may take minutes, and some never answer: those who wait for one must not hold up those who wait for another. */
const pluginCalls = 50

/**
 * Gives claims the volumes they ask for, makes those that are missing, and looks after them once the claim is gone.
 * Four loops, each the only writer of what it writes: claims are bound one after the other, so that two never want the same volume; volumes are
 * made, and volumes are released and reclaimed, several at once, since plugins may be slow; and what a crash left behind is swept.
 */
export function persistentVolumeControllers({ metrics, ...options }: PersistentVolumeOptions): readonly Controller[] {
  const counted = metrics && volumeMetrics(metrics)
  return [
    { ...binder(options), cacheObservers: counted && countVolumes(counted), onReconciled: counted?.classes },
    { ...provisioner(options), onReconciled: counted?.operations },
    { ...reclaimer(options), onReconciled: counted?.operations },
    sweeper(options),
  ]
}

export interface PersistentVolumeOptions extends ProvisionOptions {
  readonly metrics?: Metrics
}

const claimWatches = [
  watch(persistentVolumes, "a volume changed that it has or could have", claimsFor),
  watch(storageClasses, "its class changed", claimsOfClass),
]

/** Links claims and volumes in both directions; says what a claim waits for, or that its volume is lost. */
function binder({ syncPeriod }: ProvisionOptions): Controller {
  return controller("persistentvolume-binder-controller", {
    for: persistentVolumeClaims,
    watches: claimWatches,
    reads: [pods, nodes],
    indexes: [...claimIndexes, podsByClaim],
    maxConcurrentReconciles: 1,
    eventSource,
    observe: observeClaim,
    decide: (observed) => decideClaim(observed, syncPeriod),
  })
}

/** Has volumes made for claims that no volume fits. */
function provisioner(options: ProvisionOptions): Controller {
  return controller("persistentvolume-provisioner-controller", {
    for: persistentVolumeClaims,
    watches: claimWatches,
    reads: [pods, nodes],
    indexes: [...claimIndexes, podsByClaim],
    maxConcurrentReconciles: pluginCalls,
    eventSource,
    executors: volumeExecutors(options.plugins, options.syncPeriod),
    observe: observeClaim,
    decide: (observed) => decideProvision(observed, options),
    settle: settleProvision,
  })
}

/** Keeps the phases of volumes; recycles and deletes those that nobody needs. */
function reclaimer(options: ProvisionOptions): Controller {
  return controller("persistentvolume-reclaimer-controller", {
    for: persistentVolumes,
    watches: [watch(persistentVolumeClaims, "its claim changed", volumesFor)],
    reads: [pods],
    indexes: [volumesByClaim, podsByClaim],
    maxConcurrentReconciles: pluginCalls,
    eventSource,
    executors: volumeExecutors(options.plugins, options.syncPeriod),
    observe: (key, read) => observeVolume(key, read, options.plugins),
    decide: (observed) => decideVolume(observed, options),
    settle: settleVolume,
  })
}

/** Removes what was made for a claim that went before it had its volume. Keys are names of plugins. */
function sweeper({ plugins, syncPeriod }: ProvisionOptions): Controller {
  const sweepable = plugins.flatMap(({ name, provisioner: made }) => (made === undefined ? [] : [name]))
  return controller("persistentvolume-sweeper-controller", {
    for: persistentVolumes,
    predicate: () => false,
    watches: [
      watch(storageClasses, "a class of it is there", ({ provisioner: name }) => sweepable.filter((one) => one === name), {
        predicate: (_change, initial) => initial,
        delay: syncPeriod,
      }),
      watch(persistentVolumeClaims, "a claim went without a volume", () => sweepable, {
        predicate: ({ type, object }) => type === "deleted" && !object.spec?.volumeName,
        delay: syncPeriod,
      }),
    ],
    indexes: [claimsByUid],
    maxConcurrentReconciles: 1,
    eventSource,
    executors: volumeExecutors(plugins, syncPeriod),
    observe: (key, read) => observeLeftovers(key, read, plugins),
    decide: decideLeftovers,
  })
}
