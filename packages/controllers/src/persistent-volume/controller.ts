import { nodes, persistentVolumeClaims, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { type Controller, controller, countFlag, durationFlag, switchFlag, textFlag, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor, type Needs } from "../shared/descriptor.ts"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import type { Plugins } from "./choose-plugin.ts"
import { decideClaim } from "./decide-claim.ts"
import { decideVolume, settleVolume } from "./decide-volume.ts"
import { claimIndexes, claimsAffectedBy, claimsOfClass, volumesAffectedBy, volumesByClaim } from "./indexes.ts"
import { type VolumeMetrics, volumeCountObservers, volumeMetrics } from "./metrics.ts"
import { observeClaim } from "./observe-claim.ts"
import { observeVolume } from "./observe-volume.ts"
import { volumeExecutors } from "./operations.ts"
import { hostPathPlugin } from "./plugins/host-path-plugin.ts"
import { decideProvision, type ProvisionOptions, settleProvision } from "./provision.ts"
import { sweeper } from "./sweep.ts"

const eventSource = "persistentvolume-controller"
/** Concurrent plugin calls. A plugin may take minutes or never answer, and must not hold up the others. */
const pluginCalls = 50

/**
 * Binds claims to volumes, provisions missing volumes, and reclaims volumes once their claim is gone.
 * Four controllers, each the only writer of its fields: claims are bound one after the other, so that two never get the same volume; volumes are
 * provisioned and reclaimed concurrently, since plugins may be slow; and storage that a crash left behind is swept.
 */
export function persistentVolumeControllers({ metrics, ...options }: PersistentVolumeOptions): readonly Controller[] {
  const counted = metrics && volumeMetrics(metrics)
  return [
    binder(options, counted),
    { ...provisioner(options), onReconciled: counted?.recordOperations },
    { ...reclaimer(options), onReconciled: counted?.recordOperations },
    sweeper(options),
  ]
}

export interface PersistentVolumeOptions extends ProvisionOptions {
  readonly metrics?: Metrics
}

const claimWatches = [
  watch(persistentVolumes, "a volume changed that it has or could have", claimsAffectedBy),
  watch(storageClasses, "its class changed", claimsOfClass),
]

/** Binds claims and volumes; reports what a claim waits for, or that its volume is lost. */
function binder({ syncPeriod }: ProvisionOptions, counted: VolumeMetrics | undefined): Controller {
  return controller("persistentvolume-binder-controller", {
    for: persistentVolumeClaims,
    watches: claimWatches,
    reads: [pods, nodes],
    indexes: [...claimIndexes, podsByClaim],
    maxConcurrentReconciles: 1,
    eventSource,
    observe: observeClaim,
    decide: (observed) => decideClaim(observed, syncPeriod),
    cacheObservers: counted && volumeCountObservers(counted),
    onReconciled: counted?.recordClasses,
  })
}

/** Provisions volumes for claims that no existing volume fits. */
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

/** Maintains the phases of volumes; recycles and deletes unused ones. */
function reclaimer(options: ProvisionOptions): Controller {
  return controller("persistentvolume-reclaimer-controller", {
    for: persistentVolumes,
    watches: [watch(persistentVolumeClaims, "its claim changed", volumesAffectedBy)],
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

const unused = "accepted and ignored: volumes are scrubbed by this process, not by a pod"

export const persistentVolumeDescriptor = descriptor({
  name: "persistentvolume-binder-controller",
  aliases: ["persistentvolume-binder"],
  flags: {
    "pvclaimbinder-sync-period": durationFlag("15s", "how often waiting claims and failed volumes are reconciled again"),
    "enable-dynamic-provisioning": switchFlag(true, "whether volumes are provisioned for claims that no volume fits"),
    "enable-hostpath-provisioner": switchFlag(false, "whether directories of this machine are provisioned as volumes"),
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
      plugins: createPlugins(needs, set["enable-hostpath-provisioner"]),
      syncPeriod: set["pvclaimbinder-sync-period"],
      dynamicProvisioning: set["enable-dynamic-provisioning"],
    }),
})

/** Returns the plugins; the host-path plugin only with a configured root. */
function createPlugins({ volumePlugins = [], files, volumeRoot }: Needs, provisioning: boolean): Plugins {
  if (files === undefined || volumeRoot === undefined) return volumePlugins
  return [...volumePlugins, hostPathPlugin({ files, root: volumeRoot, provisioning })]
}
