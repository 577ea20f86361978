import { isControlledBy } from "@pilothouse/api"
import type { PersistentVolumeClaim, Pod, Volume } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { ephemeralClaimName, hasPodStopped } from "../shared/pods-by-claim.ts"

/**
 * Whether the pod blocks the deletion of a claim. An unscheduled pod does not: no kubelet starts a pod whose claim is terminating. A
 * finished pod does, because its volumes may still be mounted.
 */
export function blocksDeletion(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false
  return podVolumes(pod).some((volume) => namesClaim(volume, claim) || (!isShutDown(pod) && isEphemeralClaimOf(pod, volume, claim)))
}

/** Whether the pod uses the claim: it refers to the claim and has not stopped. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return !hasPodStopped(pod) && podVolumes(pod).some((volume) => namesClaim(volume, claim) || isEphemeralClaimOf(pod, volume, claim))
}

/** Whether a change of a pod can lead to a write. Most status changes cannot, and a claim may have a thousand pods. */
export function changesClaimUse(change: Change<Pod>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  const { old, object } = change
  // A delete and a create that arrive as one change: another pod.
  if (old.metadata.uid !== object.metadata.uid) return true
  // Scheduling makes the pod block its claims, which needs no write: another blocking pod that goes enqueues the claim, and that reconcile finds this pod.
  return hasPodStopped(old) !== hasPodStopped(object) || isShutDown(old) !== isShutDown(object)
}

function podVolumes({ spec }: Pod): readonly Volume[] {
  return spec?.volumes ?? []
}

function namesClaim({ persistentVolumeClaim }: Volume, { metadata }: PersistentVolumeClaim): boolean {
  return persistentVolumeClaim?.claimName === metadata.name
}

/** Whether the pod owns the claim of its ephemeral volume; a claim of that name without this owner is unrelated. */
function isEphemeralClaimOf(pod: Pod, volume: Volume, claim: PersistentVolumeClaim): boolean {
  return volume.ephemeral !== undefined && ephemeralClaimName(pod, volume) === claim.metadata.name && isControlledBy(claim, pod)
}

/** Whether the kubelet has stopped the pod, or its deletion was forced. A finalizer of such a pod may itself wait for the claim. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}
