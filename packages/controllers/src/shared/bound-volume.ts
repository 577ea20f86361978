import { isControlledBy } from "@pilothouse/api"
import { type PersistentVolume, type Pod, persistentVolumeClaims, persistentVolumes, type Volume } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { volumeClaimName } from "./pods-by-claim.ts"

/** Returns the PersistentVolume behind the claim of a pod's volume, where both say that they are bound; the claim of an ephemeral volume is the pod's own. */
export function boundVolume(pod: Pod, volume: Volume, read: Reader): PersistentVolume | undefined {
  const name = volumeClaimName(pod, volume)
  const claim = name === undefined ? undefined : read.get(persistentVolumeClaims, `${pod.metadata.namespace}/${name}`)
  if (claim?.status?.phase !== "Bound" || !claim.spec?.volumeName) return undefined
  if (volume.ephemeral !== undefined && !isControlledBy(claim, pod)) return undefined
  const found = read.get(persistentVolumes, claim.spec.volumeName)
  return found?.spec?.claimRef?.uid === claim.metadata.uid ? found : undefined
}
