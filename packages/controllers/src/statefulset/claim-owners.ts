import { apiVersionOf, controllerRef, type Descriptor, hasOwner, type OwnerReference } from "@pilothouse/api"
import { type StatefulSet, statefulSets } from "@pilothouse/api/apps/v1"
import { type PersistentVolumeClaim, type Pod, pods } from "@pilothouse/api/core/v1"
import { isInRange, ordinalOf } from "./ordinals.ts"

/** A claim goes with whoever owns it: so its owners say what the retention policy says. */
export interface Owners {
  readonly set: StatefulSet
  /** The pod that uses the claim; without a uid when it is still to be made. */
  readonly pod: Pod
}

type Named = Pick<Pod, "metadata"> | Pick<StatefulSet, "metadata">

/** What a claim that is made now should have. */
export function ownersOf({ set, pod }: Owners): readonly OwnerReference[] {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {}
  const scaledDown = !isInRange(set, ordinalOf(pod))
  if (whenScaled === "Delete" && scaledDown) return [controllerRef(pod, pods)]
  return whenDeleted === "Delete" ? [controllerRef(set, statefulSets)] : []
}

/** The owners that a claim should have instead of its own; undefined when they are right, or not ours to change. */
export function newOwners(claim: PersistentVolumeClaim, owners: Owners): readonly OwnerReference[] | undefined {
  const { set, pod } = owners
  if (isStale(claim, set, statefulSets) || isStale(claim, pod, pods)) return undefined
  const others = referencesOf(claim).filter((reference) => !names(reference, set, statefulSets) && !names(reference, pod, pods))
  const isOurs = hasOwner(claim, set) || hasOwner(claim, pod)
  // Two controllers would fight: ours steps back.
  if (hasOtherController(claim, owners)) return isOurs ? others : undefined
  const wanted = ownersOf(owners)
  return isRight(claim, owners, wanted) ? undefined : [...others, ...wanted]
}

function isRight(claim: PersistentVolumeClaim, { set, pod }: Owners, wanted: readonly OwnerReference[]): boolean {
  const ours = referencesOf(claim).filter(({ uid }) => uid === set.metadata.uid || uid === pod.metadata.uid)
  return ours.length === wanted.length && ours.every(({ uid, controller }) => controller === true && wanted.some((one) => one.uid === uid))
}

/** Somebody else manages the claim. With a policy that keeps everything that is nobody's business. */
export function hasOtherController(claim: PersistentVolumeClaim, { set, pod }: Owners): boolean {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {}
  if (whenScaled === "Retain" && whenDeleted === "Retain") return false
  return referencesOf(claim).some((reference) => {
    if (names(reference, set, statefulSets)) return reference.uid !== set.metadata.uid
    if (names(reference, pod, pods)) return reference.uid !== pod.metadata.uid
    return reference.controller === true
  })
}

/** The claim of a pod that was scaled away goes with that pod; the next one of the name must not get it. */
export function waitsForDeletion(claim: PersistentVolumeClaim, { set, pod }: Owners): boolean {
  return set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" && isStale(claim, pod, pods)
}

/** It names an owner of the same name that was there before this one. */
function isStale(claim: PersistentVolumeClaim, owner: Named, kind: Descriptor): boolean {
  const reference = referencesOf(claim).find((one) => names(one, owner, kind))
  return reference !== undefined && reference.uid !== owner.metadata.uid
}

function names(reference: OwnerReference, owner: Named, kind: Descriptor): boolean {
  return reference.apiVersion === apiVersionOf(kind) && reference.kind === kind.kind && reference.name === owner.metadata.name
}

function referencesOf({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] {
  return metadata.ownerReferences ?? []
}
