import { apiVersionOf, controllerRef, type Descriptor, hasOwner, type OwnerReference } from "@pilothouse/api"
import { type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import { type PersistentVolumeClaim, type Pod, pods } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { claimName, isInRange, podOrdinal } from "./ordinals.ts"

/** Claims in the cache, by name. */
export type Claims = ReadonlyMap<string, PersistentVolumeClaim>

export interface ClaimWork {
  readonly operations: readonly KubeOperation[]
  /** Why the pod cannot be created yet. */
  readonly blocked?: string
  /** Claims that another controller owns: the policy does not apply to them. */
  readonly conflicting: readonly string[]
}

/** Creates the missing claims of a pod; existing ones get the owners that the policy requires. */
export function provideClaims(set: StatefulSet, pod: Pod, claims: Claims): ClaimWork {
  const found = existing(set, pod, claims)
  const missing = missingClaims(set, pod, claims)
  const deleting = found.find(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const reason = `${pod.metadata.name} needs it`
  return {
    operations: [...missing.map((object): KubeOperation => ({ do: "create", object, reason })), ...ownerUpdates(set, pod, found)],
    blocked: deleting && `pvc ${deleting.metadata.name} is being deleted`,
    conflicting: found.filter((claim) => hasOtherController(claim, { set, pod })).map(({ metadata }) => metadata.name ?? ""),
  }
}

/** Updates only the owners of existing claims. */
export function followPolicy(set: StatefulSet, pod: Pod, claims: Claims): readonly KubeOperation[] {
  return ownerUpdates(set, pod, existing(set, pod, claims))
}

/** Returns the claim that has to be deleted before the pod can be created; undefined when there is none. */
export function staleClaim(set: StatefulSet, pod: Pod, claims: Claims): string | undefined {
  return existing(set, pod, claims).find((claim) => waitsForDeletion(claim, { set, pod }))?.metadata.name
}

function ownerUpdates(set: StatefulSet, pod: Pod, found: readonly PersistentVolumeClaim[]): readonly KubeOperation[] {
  return found.flatMap((claim): readonly KubeOperation[] => {
    const ownerReferences = newOwners(claim, { set, pod })
    if (ownerReferences === undefined) return []
    const object = { ...claim, metadata: { ...claim.metadata, ownerReferences } }
    return [{ do: "update", object, reason: `the retention policy of ${set.metadata.name} asks for other owners` }]
  })
}

function missingClaims(set: StatefulSet, pod: Pod, claims: Claims): readonly PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata, spec }) => {
    const name = claimName(set, metadata.name ?? "", podOrdinal(pod))
    if (claims.has(name)) return []
    const owners = desiredOwners({ set, pod })
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name,
        namespace: set.metadata.namespace,
        labels: { ...metadata.labels, ...set.spec?.selector.matchLabels },
        annotations: metadata.annotations,
        ownerReferences: owners.length === 0 ? undefined : owners,
      },
      spec,
    }
  })
}

function existing(set: StatefulSet, pod: Pod, claims: Claims): readonly PersistentVolumeClaim[] {
  const ordinal = podOrdinal(pod)
  return (set.spec?.volumeClaimTemplates ?? []).flatMap(({ metadata }) => claims.get(claimName(set, metadata.name ?? "", ordinal)) ?? [])
}

/** Garbage collection deletes a claim with its owner: the owners express the retention policy. */
interface Owners {
  readonly set: StatefulSet
  /** The pod that uses the claim; without a UID when it is not created yet. */
  readonly pod: Pod
}

type Named = Pick<Pod, "metadata"> | Pick<StatefulSet, "metadata">

/** Returns the owner references that the retention policy requires. */
function desiredOwners({ set, pod }: Owners): readonly OwnerReference[] {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {}
  const scaledDown = !isInRange(set, podOrdinal(pod))
  if (whenScaled === "Delete" && scaledDown) return [controllerRef(pod, pods)]
  return whenDeleted === "Delete" ? [controllerRef(set, statefulSets)] : []
}

/** Returns the owner references that replace those of a claim; undefined when they are right or must not be changed. */
export function newOwners(claim: PersistentVolumeClaim, owners: Owners): readonly OwnerReference[] | undefined {
  const { set, pod } = owners
  if (isStale(claim, set, statefulSets) || isStale(claim, pod, pods)) return undefined
  const others = ownerReferences(claim).filter((reference) => !refersTo(reference, set, statefulSets) && !refersTo(reference, pod, pods))
  const isOurs = hasOwner(claim, set) || hasOwner(claim, pod)
  // Another controller owns the claim: the references of this one are removed.
  if (hasOtherController(claim, owners)) return isOurs ? others : undefined
  const wanted = desiredOwners(owners)
  return isRight(claim, owners, wanted) ? undefined : [...others, ...wanted]
}

function isRight(claim: PersistentVolumeClaim, { set, pod }: Owners, wanted: readonly OwnerReference[]): boolean {
  const ours = ownerReferences(claim).filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid)
  return ours.length === wanted.length && ours.every(({ uid, controller }) => controller === true && wanted.some((one) => one.uid === uid))
}

/** Reports whether another controller manages the claim; irrelevant with a policy that retains everything. */
export function hasOtherController(claim: PersistentVolumeClaim, { set, pod }: Owners): boolean {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {}
  if (whenScaled === "Retain" && whenDeleted === "Retain") return false
  return ownerReferences(claim).some((reference) => {
    if (refersTo(reference, set, statefulSets)) return reference.uid !== set.metadata.uid
    if (refersTo(reference, pod, pods)) return reference.uid !== pod.metadata.uid
    return reference.controller === true
  })
}

/** Reports whether the claim belongs to an earlier pod that was scaled down, and is deleted with it; the next pod of the name must not use it. */
export function waitsForDeletion(claim: PersistentVolumeClaim, { set, pod }: Owners): boolean {
  return set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" && isStale(claim, pod, pods)
}

/** Reports whether the claim refers to an earlier owner of the same name. */
function isStale(claim: PersistentVolumeClaim, owner: Named, kind: Descriptor): boolean {
  const reference = ownerReferences(claim).find((one) => refersTo(one, owner, kind))
  return reference !== undefined && reference.uid !== owner.metadata.uid
}

function refersTo(reference: OwnerReference, owner: Named, kind: Descriptor): boolean {
  return reference.apiVersion === apiVersionOf(kind) && reference.kind === kind.kind && reference.name === owner.metadata.name
}

function ownerReferences({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] {
  return metadata.ownerReferences ?? []
}
