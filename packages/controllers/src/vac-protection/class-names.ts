import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type Change, index } from "@pilothouse/runtime"

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
