import { isControlledBy, storageClassOf } from "@pilothouse/api"
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  type Volume,
} from "@pilothouse/api/core/v1"
import { type CSIStorageCapacity, csiDrivers, csiStorageCapacities, type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import { index, type Reader } from "@pilothouse/runtime"

/** A claim of a pod with the volume that it is bound to, or with those that it may get. */
export interface ClaimView {
  readonly key: string
  readonly claim: PersistentVolumeClaim
  readonly isBound: boolean
  /** What it is bound to, where that exists. */
  readonly volume?: PersistentVolume
  readonly storageClass?: StorageClass
  /** Volumes of its class that are reserved for it or for no claim, where it is not bound yet. */
  readonly candidates: readonly PersistentVolume[]
  /** What its driver says there is room for, where it says so; undefined: there is always enough. */
  readonly capacities?: readonly CSIStorageCapacity[]
}

export interface VolumesView {
  readonly claims: readonly ClaimView[]
  /** Why no node will do, whatever it has. */
  readonly blocked?: string
}

/** Volumes without a claim. */
export const unclaimedByClass = index(persistentVolumes, "unclaimed-by-class", (volume) =>
  volume.spec?.claimRef === undefined ? [storageClassOf(volume)] : [],
)

export const volumesByClaim = index(persistentVolumes, "claim", ({ spec }) =>
  spec?.claimRef === undefined ? [] : [`${spec.claimRef.namespace}/${spec.claimRef.name}`],
)

/** What drivers have room for, by the storage class that it is of. */
export const capacitiesByClass = index(csiStorageCapacities, "storage-class", ({ storageClassName }) => [storageClassName])

const noVolumes: VolumesView = { claims: [] }

/** A pod that waits for one of its claims is observed whenever another of them changes: then only the claims themselves are read. */
export function observeVolumes(pod: Pod, read: Reader): VolumesView {
  const claims: ClaimView[] = []
  const classes = new Classes(read)
  for (const volume of pod.spec?.volumes ?? []) {
    const name = volume.persistentVolumeClaim?.claimName ?? (volume.ephemeral && `${pod.metadata.name}-${volume.name}`)
    if (name === undefined) continue
    const key = `${pod.metadata.namespace}/${name}`
    const claim = read.get(persistentVolumeClaims, key)
    const blocked = whyBlocked(pod, volume, name, claim)
    if (claim === undefined || blocked !== undefined) return { claims, blocked }
    claims.push({ key, claim, isBound: isBound(claim), storageClass: classes.of(claim).storageClass, candidates: [] })
  }
  if (claims.length === 0) return noVolumes
  const late = claims.find(isLate)
  if (late !== undefined) return { claims: [late], blocked: "pod has unbound immediate PersistentVolumeClaims" }
  return { claims: claims.map((claim) => withVolumes(claim, classes, read)) }
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

function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.["pv.kubernetes.io/bind-completed"] !== undefined
}

/** With the volume that it is bound to, or those that it may get. */
function withVolumes(view: ClaimView, classes: Classes, read: Reader): ClaimView {
  const { key, claim } = view
  if (view.isBound) return { key, claim, isBound: true, volume: read.get(persistentVolumes, claim.spec?.volumeName ?? ""), candidates: [] }
  const { name, unclaimed } = classes.of(claim)
  const reserved = read.byIndex(volumesByClaim, key).filter((volume) => storageClassOf(volume) === name)
  const candidates = reserved.length === 0 ? unclaimed() : [...reserved, ...unclaimed()]
  return { ...view, candidates, capacities: capacitiesFor(view.storageClass, read) }
}

/** Only drivers that say so count what they have room for. */
function capacitiesFor(storageClass: StorageClass | undefined, read: Reader): readonly CSIStorageCapacity[] | undefined {
  const driver = storageClass && read.get(csiDrivers, storageClass.provisioner)
  return driver?.spec?.storageCapacity ? read.byIndex(capacitiesByClass, storageClass?.metadata.name ?? "") : undefined
}

interface ClassView {
  readonly name: string
  readonly storageClass?: StorageClass
  unclaimed(): readonly PersistentVolume[]
}

/** The storage classes of a pod's claims. Each is read once: a pod may have thousands of claims of a class with as many volumes. */
class Classes {
  readonly #read: Reader
  readonly #known = new Map<string, ClassView>()

  constructor(read: Reader) {
    this.#read = read
  }

  of(claim: PersistentVolumeClaim): ClassView {
    const name = storageClassOf(claim)
    const known = this.#known.get(name)
    if (known !== undefined) return known
    let unclaimed: readonly PersistentVolume[] | undefined
    const view: ClassView = {
      name,
      storageClass: name === "" ? undefined : this.#read.get(storageClasses, name),
      unclaimed: () => (unclaimed ??= this.#read.byIndex(unclaimedByClass, name)),
    }
    this.#known.set(name, view)
    return view
  }
}

/** It should be bound by now: its class does not wait for pods, or it names its volume itself. */
function isLate({ isBound: bound, claim, storageClass }: ClaimView): boolean {
  return !bound && (storageClass?.volumeBindingMode !== "WaitForFirstConsumer" || Boolean(claim.spec?.volumeName))
}
