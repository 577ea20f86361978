import { deepEqual, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import type { PersistentVolume } from "@pilothouse/api/core/v1"
import { annotationOf, externalFinalizer, internalPrefix, provisionedBy, reclaimFinalizer } from "./annotations.ts"

/**
 * The volume with the finalizers it should have; the same volume where it has them. One that a plugin of ours made, and that is to be deleted
 * when it is released, stays until what is behind it has gone.
 */
export function withRightFinalizers(volume: PersistentVolume): PersistentVolume {
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
