import { keyOf, storageClassOf } from "@pilothouse/api"
import {
  type Node,
  nodes,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
} from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import type { Reader } from "@pilothouse/runtime"
import { hasPodStopped, podsByClaim } from "../shared/pods-by-claim.ts"
import { bindCompleted, getAnnotation, hasAnnotation, selectedNode } from "./annotations.ts"
import { defaultClasses, freeVolumes, volumesByClaim } from "./indexes.ts"
import { provisionedPrefix } from "./plugins/volume-plugin.ts"
import { hasClass, newestDefaultClass } from "./storage-class.ts"

/** A PersistentVolumeClaim, the volumes that it may be bound to, its class and the pods that wait for it. */
export interface ObservedClaim {
  readonly claim: PersistentVolumeClaim
  /** The volume that it names. */
  readonly volume?: PersistentVolume
  /** Volumes that are reserved for it, and free ones of its class. */
  readonly candidates: readonly PersistentVolume[]
  readonly class?: StorageClass
  /** The class that it gets when it names none. */
  readonly defaultClass?: StorageClass
  /** The volume that was provisioned for it. */
  readonly provisioned?: PersistentVolume
  /** Names of unscheduled pods that use it. */
  readonly waitingPods: readonly string[]
  /** The node that the scheduler chose. */
  readonly node?: Node
}

/** Reads a claim, its volume (live where the cache would call it lost) and, while it waits, the volumes that could serve it. */
export async function observeClaim(key: string, read: Reader): Promise<ObservedClaim | undefined> {
  const first = read.get(persistentVolumeClaims, key)
  if (first === undefined) return undefined
  const live = seemsLost(first, read) ? await read.live(persistentVolumes, first.spec?.volumeName ?? "") : undefined
  // The caches may have changed during the request.
  const claim = read.get(persistentVolumeClaims, key)
  if (claim === undefined) return undefined
  const volume = claim.spec?.volumeName ? (live ?? read.get(persistentVolumes, claim.spec.volumeName)) : undefined
  const isWaiting = !claim.spec?.volumeName && !hasAnnotation(claim, bindCompleted)
  return { claim, volume, ...(isWaiting ? readWaiting(claim, read) : { candidates: [], waitingPods: [] }) }
}

/** Reports whether the claim seems to have lost its volume; the API server is asked first, because a cache may lag. */
function seemsLost(claim: PersistentVolumeClaim, read: Reader): boolean {
  const { metadata, spec, status } = claim
  if (!hasAnnotation(claim, bindCompleted) || !spec?.volumeName || status?.phase === "Lost") return false
  const volume = read.get(persistentVolumes, spec.volumeName)
  return volume === undefined || (volume.spec?.claimRef !== undefined && volume.spec.claimRef.uid !== metadata.uid)
}

function readWaiting(claim: PersistentVolumeClaim, read: Reader): Omit<ObservedClaim, "claim" | "volume"> {
  const node = getAnnotation(claim, selectedNode)
  return {
    candidates: [...read.byIndex(volumesByClaim, keyOf(claim)), ...read.byIndex(freeVolumes, storageClassOf(claim))],
    class: read.get(storageClasses, storageClassOf(claim)),
    defaultClass: hasClass(claim) ? undefined : newestDefaultClass(read.byIndex(defaultClasses, "yes")),
    provisioned: read.get(persistentVolumes, `${provisionedPrefix}${claim.metadata.uid}`),
    waitingPods: read
      .byIndex(podsByClaim, keyOf(claim))
      .filter((pod) => !pod.spec?.nodeName && !hasPodStopped(pod))
      .map(({ metadata }) => metadata.name ?? ""),
    node: node === undefined ? undefined : read.get(nodes, node),
  }
}
