import { hasFinalizer, type KubeObject, keyOf, withFinalizer, withoutFinalizer } from "@pilothouse/api"
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type VolumeAttributesClass, volumeAttributesClasses } from "@pilothouse/api/storage/v1"
import { type Change, type Controller, controller, index, type Plan, plan, type Reader, watch } from "@pilothouse/runtime"
import { descriptor } from "../descriptor.ts"

/**
 * Keeps a VolumeAttributesClass that somebody deletes for as long as a claim or a volume names it.
 * Watches classes, claims and volumes; writes nothing but its finalizer.
 */
export function vacProtectionController(): Controller {
  return controller("volumeattributesclass-protection-controller", {
    for: volumeAttributesClasses,
    predicate: ({ type }) => type !== "deleted",
    watches: [
      watch(persistentVolumeClaims, "a claim does not name it any more", classesOfClaim, {
        predicate: (change) => letsGo(change, classesOfClaim),
      }),
      watch(persistentVolumes, "a volume does not name it any more", classesOfVolume, {
        predicate: (change) => letsGo(change, classesOfVolume),
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
  /** One of those that name it, in words; undefined: nobody does. */
  readonly user?: string
}

/** The caches are believed, as upstream does: a claim that is too new for them finds its class gone, and says so. */
export function observe(key: string, read: Reader): Observed | undefined {
  const volumeClass = read.get(volumeAttributesClasses, key)
  if (volumeClass === undefined) return undefined
  const [volume] = read.byIndex(volumesByAttributesClass, key)
  if (volume !== undefined) return { volumeClass, user: told("volume", volume) }
  const [claim] = read.byIndex(claimsByAttributesClass, key)
  return claim === undefined ? { volumeClass } : { volumeClass, user: told("claim", claim) }
}

function told(what: string, object: KubeObject): string {
  return `the ${what} ${keyOf(object)}`
}

export const finalizer = "kubernetes.io/vac-protection"

/** Every class has the finalizer, and loses it when it is deleted and neither a claim nor a volume names it. */
export function decide({ volumeClass, user }: Observed): Plan {
  const isProtected = hasFinalizer(volumeClass, finalizer)
  if (volumeClass.metadata.deletionTimestamp === undefined) {
    if (isProtected) return plan().nothing("it is protected")
    return plan().update(withFinalizer(volumeClass, finalizer), "a class that a claim or a volume names must not go")
  }
  if (!isProtected) return plan().nothing("nothing of ours keeps it")
  if (user !== undefined) return plan().waitFor("those that name it to go").nothing(`it is deleted, but ${user} names it`)
  return plan().update(withoutFinalizer(volumeClass, finalizer), "it is deleted, and neither a claim nor a volume names it")
}

/** The classes that a claim wants, has, or is on its way to. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  return named([spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target])
}

export function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  return named([spec?.volumeAttributesClassName])
}

export const claimsByAttributesClass = index(persistentVolumeClaims, "attributes class", classesOfClaim)
export const volumesByAttributesClass = index(persistentVolumes, "attributes class", classesOfVolume)

/** Whether a change makes somebody let go of a class: only then may one go that could not before. */
export function letsGo<T>(change: Change, classesOf: (object: T) => readonly string[]): boolean {
  if (change.type === "deleted") return true
  if (change.type !== "updated") return false
  const kept = classesOf(change.object as T)
  return classesOf(change.old as T).some((name) => !kept.includes(name))
}

/** An empty name is none. */
function named(names: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== undefined && name !== ""))] as readonly string[]
}

export const vacProtectionDescriptor = descriptor({
  name: "volumeattributesclass-protection-controller",
  create: () => vacProtectionController(),
})
