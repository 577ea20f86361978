import { deepEqual, hasSameVolumeMode, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import {
  boundByController,
  externalFinalizer,
  getAnnotation,
  hasAnnotation,
  internalPrefix,
  provisionedBy,
  reclaimFinalizer,
} from "./annotations.ts"
import { unbind } from "./bind.ts"
import { claimKey } from "./indexes.ts"
import type { ObservedVolume } from "./observe-volume.ts"
import { VolumeInUseError } from "./plugins/volume-plugin.ts"
import { isReleased, isUnneeded, type ReclaimOptions, reclaim } from "./reclaim.ts"
import { writeFailure, writePhase } from "./volume-phase.ts"

/** Upstream's syncVolume: corrects the phase, undoes failed bindings, and reclaims unused volumes. */
export function decideVolume(observed: ObservedVolume, options: ReclaimOptions): Plan {
  const { volume, claim } = observed
  if (isUnneeded(volume, claim)) return release(observed, options)
  const right = withExpectedFinalizers(volume)
  if (right !== volume) return plan().update(right, "its finalizers follow its reclaim policy")
  if (!volume.spec?.claimRef?.uid)
    return phase(observed, "Available", claimKey(volume) === undefined ? "it is not claimed" : "it is reserved")
  if (claim?.spec?.volumeName === volume.metadata.name) return phase(observed, "Bound", `${claimKey(volume)} has it`)
  if (claim?.spec?.volumeName) return rollBack(observed)
  return hasSameVolumeMode(volume, claim!) ? plan().waitFor("its claim to be bound").nothing("the claim is bound next") : refuse(observed)
}

/** Writes the phase Released at the observed version; a later reconcile reclaims the volume. */
function release(observed: ObservedVolume, options: ReclaimOptions): Plan {
  const { volume, claim } = observed
  const built = plan()
  if (isReleased(volume)) return reclaim(built, observed, options)
  const reason = claim === undefined ? `its claim ${claimKey(volume)} is gone` : `its claim has ${claim.spec?.volumeName}`
  writePhase(built, volume, "Released", reason)
  return built
}

function phase({ volume }: ObservedVolume, wanted: "Available" | "Bound", reason: string): Plan {
  const built = plan()
  writePhase(built, volume, wanted, reason)
  return built.steps.length > 0 ? built : built.nothing(reason)
}

function rollBack({ volume, claim }: ObservedVolume): Plan {
  const built = plan()
  const who = hasAnnotation(volume, boundByController) ? "it was chosen for" : "it is reserved for"
  unbind(built, volume, `${who} ${claimKey(volume)}, which has ${claim?.spec?.volumeName}`)
  return built
}

function refuse({ volume, claim }: ObservedVolume): PlanBuilder {
  const [ofVolume, ofClaim] = [volume.metadata.name, claim?.metadata.name]
  const toVolume = `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${ofClaim}" due to incompatible volumeMode.`
  const toClaim = `Cannot bind PersistentVolume "${ofVolume}" to requested PersistentVolumeClaim due to incompatible volumeMode.`
  return plan()
    .event(volume, "Warning", "VolumeMismatch", toVolume)
    .event(claim!, "Warning", "VolumeMismatch", toClaim)
    .nothing(toVolume, { stuck: true })
}

/** Records what a plugin could not do; the operation is retried. */
export function settleVolume({ volume }: ObservedVolume, results: readonly Result[]): Plan {
  const built = plan()
  const failed = results.find((result) => result.ok === false)
  if (failed?.ok !== false) return built
  const message = messageOf(failed.error)
  if (failed.operation.do === "recycle-volume") writeFailure(built, volume, "VolumeFailedRecycle", `Recycle failed: ${message}`)
  if (failed.operation.do !== "delete-volume") return built
  if (failed.error instanceof VolumeInUseError) return built.event(volume, "Normal", "VolumeDelete", message)
  writeFailure(built, volume, "VolumeFailedDelete", message)
  return built
}

/**
 * Returns the volume with the expected finalizers; the same object when it has them. A volume of an internal plugin with the policy Delete
 * stays until its storage is deleted.
 */
function withExpectedFinalizers(volume: PersistentVolume): PersistentVolume {
  if (!getAnnotation(volume, provisionedBy)?.startsWith(internalPrefix)) return volume
  const without = withoutFinalizer(volume, externalFinalizer)
  const right = finalizerByPolicy(without)
  return deepEqual(right, volume) ? volume : right
}

function finalizerByPolicy(volume: PersistentVolume): PersistentVolume {
  const policy = volume.spec?.persistentVolumeReclaimPolicy
  if (policy === "Retain" || policy === "Recycle") return withoutFinalizer(volume, reclaimFinalizer)
  // The server rejects new finalizers on a terminating object.
  return policy === "Delete" && volume.metadata.deletionTimestamp === undefined ? withFinalizer(volume, reclaimFinalizer) : volume
}
