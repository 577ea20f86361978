import { isControlledBy } from "@pilothouse/api"
import type { PersistentVolumeClaim, Pod, Volume } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { ephemeralClaimName, hasPodStopped } from "../shared/pods-by-claim.ts"

/**
 * Whether the pod keeps a claim that is deleted. One without a node does not: no kubelet starts a pod whose claim is going away. One that has
 * finished does, for its volumes may still be mounted.
 */
export function keeps(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false
  return volumesOf(pod).some((volume) => namesIt(volume, claim) || (!isShutDown(pod) && isMadeFor(pod, volume, claim)))
}

/** Whether the claim counts as used: somebody refers to it who has not stopped. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return !hasPodStopped(pod) && volumesOf(pod).some((volume) => namesIt(volume, claim) || isMadeFor(pod, volume, claim))
}

/** Whether a change of a pod can lead to a write. Most cannot: a claim with a thousand pods is not worth looking at for their statuses. */
export function concernsClaims(change: Change<Pod>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  const { old, object } = change
  // What a delete and a create left behind, if both came as one change: another pod, whatever it looks like.
  if (old.metadata.uid !== object.metadata.uid) return true
  // A node makes it keep its claims. Nothing is written for that: whoever else kept one brings the next look, and that finds this pod.
  return hasPodStopped(old) !== hasPodStopped(object) || isShutDown(old) !== isShutDown(object)
}

function volumesOf({ spec }: Pod): readonly Volume[] {
  return spec?.volumes ?? []
}

function namesIt({ persistentVolumeClaim }: Volume, { metadata }: PersistentVolumeClaim): boolean {
  return persistentVolumeClaim?.claimName === metadata.name
}

/** A claim of that name that the pod does not own belongs to somebody else. */
function isMadeFor(pod: Pod, volume: Volume, claim: PersistentVolumeClaim): boolean {
  return volume.ephemeral !== undefined && ephemeralClaimName(pod, volume) === claim.metadata.name && isControlledBy(claim, pod)
}

/** The kubelet is done with it, or somebody forced it. A finalizer of such a pod may itself wait for the claim to go. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}
