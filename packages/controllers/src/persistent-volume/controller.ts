import { nodes, persistentVolumeClaims, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor, type Needs } from "../descriptor.ts"
import { countFlag, durationFlag, switchFlag, textFlag } from "../flag.ts"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import type { Plugins } from "./choose-plugin.ts"
import { decideClaim } from "./decide-claim.ts"
import { decideVolume, settleVolume } from "./decide-volume.ts"
import { claimIndexes, claimsFor, claimsOfClass, volumesByClaim, volumesFor } from "./indexes.ts"
import { countVolumes, volumeMetrics } from "./metrics.ts"
import { observeClaim } from "./observe-claim.ts"
import { observeVolume } from "./observe-volume.ts"
import { volumeExecutors } from "./operations.ts"
import { hostPathPlugin } from "./plugins/host-path-plugin.ts"
import { decideProvision, type ProvisionOptions, settleProvision } from "./provision.ts"
import { sweeper } from "./sweep.ts"

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

const unused = "taken and not used: volumes are scrubbed by this process, not by a pod"

export const persistentVolumeDescriptor = descriptor({
  name: "persistentvolume-binder-controller",
  aliases: ["persistentvolume-binder"],
  flags: {
    "pvclaimbinder-sync-period": durationFlag("15s", "how often claims that wait and volumes that failed are looked at again"),
    "enable-dynamic-provisioning": switchFlag(true, "whether volumes are made for claims that none fits"),
    "enable-hostpath-provisioner": switchFlag(false, "whether directories of this machine are made as volumes"),
    "pv-recycler-pod-template-filepath-nfs": textFlag("", unused),
    "pv-recycler-minimum-timeout-nfs": countFlag(300, unused, 0),
    "pv-recycler-increment-timeout-nfs": countFlag(30, unused, 0),
    "pv-recycler-pod-template-filepath-hostpath": textFlag("", unused),
    "pv-recycler-minimum-timeout-hostpath": countFlag(60, unused, 0),
    "pv-recycler-timeout-increment-hostpath": countFlag(30, unused, 0),
  },
  create: (set, needs) =>
    persistentVolumeControllers({
      metrics: needs.metrics,
      plugins: pluginsOf(needs, set["enable-hostpath-provisioner"]),
      syncPeriod: set["pvclaimbinder-sync-period"],
      dynamicProvisioning: set["enable-dynamic-provisioning"],
    }),
})

/** Directories only where somebody said which. */
function pluginsOf({ volumePlugins = [], files, volumeRoot }: Needs, provisioning: boolean): Plugins {
  if (files === undefined || volumeRoot === undefined) return volumePlugins
  return [...volumePlugins, hostPathPlugin({ files, root: volumeRoot, provisioning })]
}
