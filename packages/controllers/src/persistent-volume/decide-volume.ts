import { deepEqual, hasSameVolumeMode, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import {
  annotationOf,
  boundByController,
  externalFinalizer,
  hasAnnotation,
  internalPrefix,
  provisionedBy,
  reclaimFinalizer,
} from "./annotations.ts"
import { unbind } from "./bind.ts"
import { claimKeyOf } from "./indexes.ts"
import type { ObservedVolume } from "./observe-volume.ts"
import { VolumeInUseError } from "./plugins/volume-plugin.ts"
import { isReleased, isUnneeded, type ReclaimOptions, reclaim } from "./reclaim.ts"
import { writeFailure, writePhase } from "./volume-phase.ts"

/** Keeps the phase true, takes back what came to nothing, and reclaims what nobody needs. */
export function decideVolume(observed: ObservedVolume, options: ReclaimOptions): Plan {
  const { volume, claim } = observed
  if (isUnneeded(volume, claim)) return release(observed, options)
  const right = withRightFinalizers(volume)
  if (right !== volume) return plan().update(right, "its finalizers follow its reclaim policy")
  if (!volume.spec?.claimRef?.uid)
    return phase(observed, "Available", claimKeyOf(volume) === undefined ? "nobody has it" : "it is reserved")
  if (claim?.spec?.volumeName === volume.metadata.name) return phase(observed, "Bound", `${claimKeyOf(volume)} has it`)
  if (claim?.spec?.volumeName) return takeBack(observed)
  return hasSameVolumeMode(volume, claim!) ? plan().waitFor("its claim to be bound").nothing("the claim is bound next") : refuse(observed)
}

/** The write says so at the version that was seen: only then, in a look of its own, is anything done about it. */
function release(observed: ObservedVolume, options: ReclaimOptions): Plan {
  const { volume, claim } = observed
  const built = plan()
  if (isReleased(volume)) return reclaim(built, observed, options)
  const reason = claim === undefined ? `its claim ${claimKeyOf(volume)} is gone` : `its claim has ${claim.spec?.volumeName}`
  writePhase(built, volume, "Released", reason)
  return built
}

function phase({ volume }: ObservedVolume, wanted: "Available" | "Bound", reason: string): Plan {
  const built = plan()
  writePhase(built, volume, wanted, reason)
  return built.steps.length > 0 ? built : built.nothing(reason)
}

function takeBack({ volume, claim }: ObservedVolume): Plan {
  const built = plan()
  const who = hasAnnotation(volume, boundByController) ? "it was chosen for" : "it is reserved for"
  unbind(built, volume, `${who} ${claimKeyOf(volume)}, which has ${claim?.spec?.volumeName}`)
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

/** Tells people what a plugin could not do; it is tried again all the same. */
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
 * The volume with the finalizers it should have; the same volume where it has them. One that a plugin of ours made, and that is to be deleted
 * when it is released, stays until what is behind it has gone.
 */
function withRightFinalizers(volume: PersistentVolume): PersistentVolume {
  if (!annotationOf(volume, provisionedBy)?.startsWith(internalPrefix)) return volume
  const without = withoutFinalizer(volume, externalFinalizer)
  const right = finalizerByPolicy(without)
  return deepEqual(right, volume) ? volume : right
}

function finalizerByPolicy(volume: PersistentVolume): PersistentVolume {
  const policy = volume.spec?.persistentVolumeReclaimPolicy
  if (policy === "Retain" || policy === "Recycle") return withoutFinalizer(volume, reclaimFinalizer)
  // The server takes no new finalizers for what is being deleted.
  return policy === "Delete" && volume.metadata.deletionTimestamp === undefined ? withFinalizer(volume, reclaimFinalizer) : volume
}
