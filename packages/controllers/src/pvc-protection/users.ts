import { isControlledBy } from "@pilothouse/api"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"
import { ephemeralClaimName, hasPodStopped } from "../shared/pods-by-claim.ts"

/**
 * Reports whether the pod blocks the deletion of a claim. An unscheduled pod does not: no kubelet starts a pod whose claim is terminating. A
 * finished pod does, because its volumes may still be mounted.
 */
export function blocksDeletion(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec?.nodeName) return false
  return namesClaim(pod, claim) || (!isShutDown(pod) && ownsEphemeralClaim(pod, claim))
}

/** Reports whether the pod uses the claim: it refers to the claim and has not stopped. */
export function uses(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return !hasPodStopped(pod) && (namesClaim(pod, claim) || ownsEphemeralClaim(pod, claim))
}

/** Reports whether a change of a pod can lead to a write. Most status changes cannot, and a claim may have a thousand pods. */
export function changesClaimUse(change: Change<Pod>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  const { old, object } = change
  // A delete and a create that arrive as one change: another pod.
  if (old.metadata.uid !== object.metadata.uid) return true
  // Scheduling makes the pod block its claims, which needs no write: another blocking pod that goes enqueues the claim, and that reconcile finds this pod.
  return hasPodStopped(old) !== hasPodStopped(object) || isShutDown(old) !== isShutDown(object)
}

function namesClaim(pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  return metadata.name !== undefined && namesIn(pod).named.has(metadata.name)
}

/** Reports whether the pod owns the claim of its ephemeral volume; a claim of that name without this owner is unrelated. */
function ownsEphemeralClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return claim.metadata.name !== undefined && namesIn(pod).ephemeral.has(claim.metadata.name) && isControlledBy(claim, pod)
}

interface ClaimNames {
  readonly named: ReadonlySet<string>
  readonly ephemeral: ReadonlySet<string>
}

/** Pods with more volumes than this are remembered: each of their claims is looked up in them. */
const maxScanned = 16
const remembered = new WeakMap<Pod, ClaimNames>()

/** Objects in caches are read-only, so the names of a pod are those of its volumes for as long as it is there. */
function namesIn(pod: Pod): ClaimNames {
  const known = remembered.get(pod)
  if (known !== undefined) return known
  const volumes = pod.spec?.volumes ?? []
  const names = {
    named: new Set(volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])),
    ephemeral: new Set(volumes.flatMap((volume) => (volume.ephemeral === undefined ? [] : [ephemeralClaimName(pod, volume)]))),
  }
  if (volumes.length > maxScanned) remembered.set(pod, names)
  return names
}

/** Reports whether the kubelet has stopped the pod, or its deletion was forced. A finalizer of such a pod may itself wait for the claim. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}
