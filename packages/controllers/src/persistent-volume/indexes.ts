import { fitsClaim, keyOf, storageClassOf } from "@pilothouse/api"
import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { type StorageClass, storageClasses } from "@pilothouse/api/storage/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { bindCompleted, hasAnnotation } from "./annotations.ts"
import { hasClass, isDefaultClass } from "./storage-class.ts"

/** The claim that a volume is bound to or reserved for. */
export function claimKey({ spec }: PersistentVolume): string | undefined {
  return spec?.claimRef && `${spec.claimRef.namespace}/${spec.claimRef.name}`
}

export const volumesByClaim = index(persistentVolumes, "claim", (volume) => [claimKey(volume) ?? []].flat())
/** Unclaimed volumes by class. */
export const freeVolumes = index(persistentVolumes, "free-by-class", (volume) =>
  volume.spec?.claimRef === undefined && volume.status?.phase === "Available" ? [storageClassOf(volume)] : [],
)
export const claimsByVolume = index(persistentVolumeClaims, "volume", ({ spec }) => (spec?.volumeName ? [spec.volumeName] : []))
const unclassed = "*"
/** Claims that wait for a volume, by class; claims without a class under a name that no class can have. */
export const waitingClaims = index(persistentVolumeClaims, "waiting-by-class", (claim) => {
  if (claim.spec?.volumeName || hasAnnotation(claim, bindCompleted)) return []
  return [hasClass(claim) ? storageClassOf(claim) : unclassed]
})
export const claimsByUid = index(persistentVolumeClaims, "uid", ({ metadata }) => (metadata.uid === undefined ? [] : [metadata.uid]))
export const defaultClasses = index(storageClasses, "default", (storageClass) => (isDefaultClass(storageClass) ? ["yes"] : []))

export const claimIndexes = [volumesByClaim, freeVolumes, claimsByVolume, waitingClaims, defaultClasses]

/** Returns the claims that a change of a volume may affect. */
export function claimsAffectedBy(volume: PersistentVolume, read: Reader): readonly string[] {
  const named = read.byIndex(claimsByVolume, volume.metadata.name ?? "").map(keyOf)
  const key = claimKey(volume)
  if (key !== undefined) return [key, ...named]
  const waiting = [storageClassOf(volume), ...(storageClassOf(volume) === "" ? [unclassed] : [])].flatMap((value) =>
    read.byIndex(waitingClaims, value),
  )
  return [...named, ...waiting.filter((claim) => fitsClaim(volume, claim)).map(keyOf)]
}

/** The claims that wait for this class, or for any default one. */
export function claimsOfClass(storageClass: StorageClass, read: Reader): readonly string[] {
  const values = [storageClass.metadata.name ?? "", ...(isDefaultClass(storageClass) ? [unclassed] : [])]
  return values.flatMap((value) => read.byIndex(waitingClaims, value)).map(keyOf)
}

/** The volumes that a change of a claim may concern. */
export function volumesAffectedBy(claim: PersistentVolumeClaim, read: Reader): readonly string[] {
  const bound = read.byIndex(volumesByClaim, keyOf(claim)).map(keyOf)
  return claim.spec?.volumeName ? [claim.spec.volumeName, ...bound] : bound
}
