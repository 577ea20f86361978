import { hasFinalizer, type KubeObject, keyOf, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type VolumeAttributesClass, volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import { type Change, type Controller, controller, index, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"

/**
 * Delays the deletion of a VolumeAttributesClass while a claim or a volume names it.
 * Watches classes, claims and volumes; writes only its finalizer.
 */
export function vacProtectionController(): Controller {
  return controller("volumeattributesclass-protection-controller", {
    for: volumeAttributesClasses,
    predicate: ({ type }) => type !== "deleted",
    watches: [
      watch(persistentVolumeClaims, "a claim does not name it any more", claimClasses, {
        predicate: (change) => releasesClass(change, claimClasses),
      }),
      watch(persistentVolumes, "a volume does not name it any more", volumeClasses, {
        predicate: (change) => releasesClass(change, volumeClasses),
      }),
    ],
    indexes: [claimsByAttributesClass, volumesByAttributesClass],
    maxConcurrentReconciles: 1,
    observe,
    decide,
  })
}

export interface Observed {
  readonly volumeClass: VolumeAttributesClass
  /** A claim or volume that names the class, such as "the claim default/data"; undefined when none does. */
  readonly user?: string
}

/** Trusts the caches, as upstream does: a claim that is too new for them reports its missing class. */
export function observe(key: string, read: Reader): Observed | undefined {
  const volumeClass = read.get(volumeAttributesClasses, key)
  if (volumeClass === undefined) return undefined
  const [volume] = read.byIndex(volumesByAttributesClass, key)
  if (volume !== undefined) return { volumeClass, user: describeUser("volume", volume) }
  const [claim] = read.byIndex(claimsByAttributesClass, key)
  return claim === undefined ? { volumeClass } : { volumeClass, user: describeUser("claim", claim) }
}

function describeUser(what: string, object: KubeObject): string {
  return `the ${what} ${keyOf(object)}`
}

export const finalizer = "kubernetes.io/vac-protection"

/** Adds the finalizer to every class, and removes it when the class is deleted and neither a claim nor a volume names it. */
export function decide({ volumeClass, user }: Observed): Plan {
  const isProtected = hasFinalizer(volumeClass, finalizer)
  if (volumeClass.metadata.deletionTimestamp === undefined) {
    if (isProtected) return plan().nothing("it is protected")
    return plan().update(withFinalizer(volumeClass, finalizer), "a class that a claim or a volume names must not be deleted")
  }
  if (!isProtected) return plan().nothing("no finalizer of this controller holds it")
  if (user !== undefined) return plan().waitFor("the objects that name it to be deleted").nothing(`it is deleted, but ${user} names it`)
  return plan().update(withoutFinalizer(volumeClass, finalizer), "it is deleted, and neither a claim nor a volume names it")
}

/** Returns the classes that a claim requests, has, or is changing to. */
export function claimClasses({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  return named([spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target])
}

export function volumeClasses({ spec }: PersistentVolume): readonly string[] {
  return named([spec?.volumeAttributesClassName])
}

export const claimsByAttributesClass = index(persistentVolumeClaims, "attributes class", claimClasses)
export const volumesByAttributesClass = index(persistentVolumes, "attributes class", volumeClasses)

/** Reports whether the change removes a reference to a class: only then can a blocked deletion proceed. */
export function releasesClass<T>(change: Change, classesOf: (object: T) => readonly string[]): boolean {
  if (change.type === "deleted") return true
  if (change.type !== "updated") return false
  const kept = classesOf(change.object as T)
  return classesOf(change.old as T).some((name) => !kept.includes(name))
}

/** Drops empty names and duplicates. */
function named(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as readonly string[]
}

export const vacProtectionDescriptor = descriptor({
  name: "volumeattributesclass-protection-controller",
  create: () => vacProtectionController(),
})
