import { isControlledBy, storageClassOf } from "@pilothouse/api"
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  type Volume,
} from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import { index, type Reader } from "@pilothouse/runtime"

export interface ClaimView {
  readonly key: string
  readonly claim: PersistentVolumeClaim
  readonly isBound: boolean
  /** What it is bound to, where that exists. */
  readonly volume?: PersistentVolume
  readonly storageClass?: StorageClass
  /** Of its class, where it is still to get one. */
  readonly candidates: readonly PersistentVolume[]
}

export interface VolumesView {
  readonly claims: readonly ClaimView[]
  /** Why no node will do, whatever it has. */
  readonly blocked?: string
}

export const volumesByClass = index(persistentVolumes, "storage-class", (volume) => [storageClassOf(volume)])

const noVolumes: VolumesView = { claims: [] }

export function observeVolumes(pod: Pod, read: Reader): VolumesView {
  const claims: ClaimView[] = []
  for (const volume of pod.spec?.volumes ?? []) {
    const name = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && `${pod.metadata.name}-${volume.name}`)
    if (name === undefined) continue
    const key = `${pod.metadata.namespace}/${name}`
    const claim = read.get(persistentVolumeClaims, key)
    const blocked = whyBlocked(pod, volume, name, claim)
    if (claim === undefined || blocked !== undefined) return { claims, blocked }
    claims.push(viewOf(key, claim, read))
  }
  if (claims.length === 0) return noVolumes
  return { claims, blocked: claims.some(isLate) ? "pod has unbound immediate PersistentVolumeClaims" : undefined }
}

function whyBlocked(pod: Pod, volume: Volume, name: string, claim: PersistentVolumeClaim | undefined): string | undefined {
  if (claim === undefined)
    return volume.ephemeral === undefined
      ? `persistentvolumeclaim "${name}" not found`
      : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
  if (claim.status?.phase === "Lost")
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ""}"`
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`
  if (volume.ephemeral === undefined || isControlledBy(claim, pod)) return undefined
  const { namespace, name: podName } = pod.metadata
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`
}

function viewOf(key: string, claim: PersistentVolumeClaim, read: Reader): ClaimView {
  const { volumeName } = claim.spec ?? {}
  const isBound = Boolean(volumeName) && claim.metadata.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined
  if (isBound) return { key, claim, isBound, volume: read.get(persistentVolumes, volumeName ?? ""), candidates: [] }
  const name = storageClassOf(claim)
  return {
    key,
    claim,
    isBound,
    storageClass: name === "" ? undefined : read.get(storageClasses, name),
    candidates: read.byIndex(volumesByClass, name),
  }
}

/** It should be bound by now: its class does not wait for pods, or it names its volume itself. */
function isLate({ isBound, claim, storageClass }: ClaimView): boolean {
  return !isBound && (storageClass?.volumeBindingMode !== "WaitForFirstConsumer" || Boolean(claim.spec?.volumeName))
}
