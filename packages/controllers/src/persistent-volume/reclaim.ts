import { hasFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { Plan, PlanBuilder } from "@pilothouse/runtime"
import type { Duration } from "@pilothouse/seams"
import { hasAnnotation, provisionedBy, reclaimFinalizer } from "./annotations.ts"
import { unbind } from "./bind.ts"
import { type Choice, deleterFor, type Plugins, recyclerFor } from "./choose-plugin.ts"
import type { ObservedVolume } from "./observe-volume.ts"
import { volumeOperation } from "./operations.ts"
import { writeFailure } from "./volume-phase.ts"

export interface ReclaimOptions {
  readonly plugins: Plugins
  readonly syncPeriod: Duration
}

/** Reports whether the volume is released. Failed counts too: it is retried. */
export function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === "Released" || status?.phase === "Failed"
}

/** Reports whether the volume is unused: its claim is gone, or is bound to another volume and this one was provisioned without effect. */
export function isUnneeded(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): boolean {
  if (!volume.spec?.claimRef?.uid) return false
  if (claim === undefined) return true
  const isElsewhere = Boolean(claim.spec?.volumeName) && claim.spec?.volumeName !== volume.metadata.name
  return isElsewhere && hasAnnotation(volume, provisionedBy) && volume.spec.persistentVolumeReclaimPolicy === "Delete"
}

/** Reports whether an internal plugin is about to scrub or delete its storage. */
export function isReclaimedByUs(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined, plugins: Plugins): boolean {
  return isUnneeded(volume, claim) && isReleased(volume) && chooseReclaimer(volume, plugins)?.by === "plugin"
}

function chooseReclaimer(volume: PersistentVolume, plugins: Plugins): Choice | undefined {
  const policy = volume.spec?.persistentVolumeReclaimPolicy
  if (policy === "Recycle") return recyclerFor(volume, plugins)
  return policy === "Delete" ? deleterFor(volume, plugins) : undefined
}

/** Retains, recycles or deletes a released volume. */
export function reclaim(built: PlanBuilder, observed: ObservedVolume, { plugins, syncPeriod }: ReclaimOptions): Plan {
  const { volume, isOutdated } = observed
  const policy: string | undefined = volume.spec?.persistentVolumeReclaimPolicy
  const choice = chooseReclaimer(volume, plugins)
  if (policy === "Retain") return built.nothing("it is retained: its policy is Retain")
  if (choice === undefined) {
    const message = "Volume has unrecognized PersistentVolumeReclaimPolicy"
    writeFailure(built, volume, "VolumeUnknownReclaimPolicy", message)
    return built.nothing(message)
  }
  if (choice.by === "external") return built.waitFor(`${choice.name} to remove it`).nothing(`${choice.name} removes it`)
  if (choice.by === "none") {
    writeFailure(built, volume, policy === "Delete" ? "VolumeFailedDelete" : "VolumeFailedRecycle", choice.message)
    return built.nothing(choice.message)
  }
  if (isOutdated) return built.waitFor("the cache to catch up").requeueAfter(syncPeriod, "the server has a newer one")
  return policy === "Delete" ? remove(built, volume, choice) : recycle(built, observed, choice, syncPeriod)
}

function recycle(built: PlanBuilder, { volume, users }: ObservedVolume, { plugin }: Choice & { by: "plugin" }, syncPeriod: Duration): Plan {
  if (users.length > 0) {
    const message = `Volume is used by pods: ${users.join(",")}`
    const waiting = built.event(volume, "Normal", "VolumeFailedRecycle", message).waitFor("its pods to stop").nothing(message)
    return waiting.requeueAfter(syncPeriod, "the pods may have stopped by then")
  }
  const reason = "its claim is gone, and its policy is Recycle"
  built.operation(volumeOperation("recycle-volume", plugin, volume, reason))
  unbind(built, volume, reason)
  return built.event(volume, "Normal", "VolumeRecycled", "Volume recycled")
}

function remove(built: PlanBuilder, volume: PersistentVolume, { plugin }: Choice & { by: "plugin" }): Plan {
  const reason = "it is not used any more, and its policy is Delete"
  built.operation(volumeOperation("delete-volume", plugin, volume, reason)).nextStep()
  if (hasFinalizer(volume, reclaimFinalizer)) {
    built.update(withoutFinalizer(volume, reclaimFinalizer), "its storage is deleted").nextStep()
  }
  return built.delete(volume, reason)
}
