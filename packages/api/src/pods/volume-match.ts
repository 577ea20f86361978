import type { PersistentVolume, PersistentVolumeClaim } from "../generated/core/v1.types.ts"
import { matchesLabels, selectorOf } from "../labels/label-selector.ts"
import { compareAmounts } from "../quantity/amount.ts"
import { parseQuantity } from "../quantity/quantity-parse.ts"

/** Of old the class stood in an annotation. */
const betaStorageClass = "volume.beta.kubernetes.io/storage-class"

/** The class of a claim or volume. "" is a class too: that of volumes without a provisioner. */
export function storageClassOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[betaStorageClass] ?? spec?.storageClassName ?? ""
}

/** Reports whether the volume is reserved for the claim, or bound to it: by name, and by UID where there is one. */
export function isVolumeFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const ref = spec?.claimRef
  if (ref === undefined || ref.name !== metadata.name || ref.namespace !== metadata.namespace) return false
  return !ref.uid || ref.uid === metadata.uid
}

/**
 * The volume for a claim that does not care which one it gets. One that is reserved for it wins. Else, of those that are free and fit, those with
 * the fewest access modes, and of them the smallest. With `delayed` free ones are left to the scheduler.
 */
export function bestVolumeFor(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  delayed: boolean,
): PersistentVolume | undefined {
  const possible = volumes.filter((volume) => couldHold(volume, claim))
  const reserved = possible.find((volume) => isVolumeFor(volume, claim))
  if (reserved !== undefined || delayed) return reserved
  return possible
    .filter((volume) => isFree(volume) && storageClassOf(volume) === storageClassOf(claim) && isSelected(volume, claim))
    .sort(byModesThenSize)[0]
}

/** Reports whether a free volume may be taken by a claim that names none. */
export function fitsClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return bestVolumeFor(claim, [volume], false) !== undefined
}

/** Returns why the volume that a claim names does not fit it, in upstream's words. The selector is not asked: the name says more. */
export function volumeMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) return `the volume is marked for deletion "${volume.metadata.name}"`
  if (!isBigEnough(volume, claim)) return "requested PV is too small"
  if (storageClassOf(volume) !== storageClassOf(claim)) return "storageClassName does not match"
  if (!hasSameAttributes(volume, claim)) return "volumeAttributesClassName does not match"
  if (!hasSameVolumeMode(volume, claim)) return "incompatible volumeMode"
  if (!hasAccessModes(volume, claim)) return "incompatible accessMode"
  return undefined
}

function couldHold(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    (volume.metadata.deletionTimestamp === undefined || hasBegun(volume, claim)) &&
    hasAccessModes(volume, claim) &&
    hasSameVolumeMode(volume, claim) &&
    hasSameAttributes(volume, claim) &&
    isBigEnough(volume, claim)
  )
}

/** A binding that was half written is completed even when the volume was deleted in between: otherwise neither would ever be released. */
function hasBegun({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  return metadata.uid !== undefined && spec?.claimRef?.uid === metadata.uid
}

function isFree({ spec, status }: PersistentVolume): boolean {
  return spec?.claimRef === undefined && status?.phase === "Available"
}

function isSelected({ metadata }: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  return spec?.selector === undefined || matchesLabels(selectorOf(spec.selector), metadata.labels)
}

/** It may have more. */
export function hasAccessModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode))
}

/** Reports whether volume and claim have the same volumeMode; without one it is Filesystem. */
export function hasSameVolumeMode({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem")
}

function hasSameAttributes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "")
}

function isBigEnough(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  return compareAmounts(sizeOf(volume), parseQuantity(spec?.resources?.requests?.storage ?? "0")) >= 0
}

function byModesThenSize(a: PersistentVolume, b: PersistentVolume): number {
  return modeCount(a) - modeCount(b) || compareAmounts(sizeOf(a), sizeOf(b))
}

function modeCount({ spec }: PersistentVolume): number {
  return new Set(spec?.accessModes).size
}

function sizeOf({ spec }: PersistentVolume) {
  return parseQuantity(spec?.capacity?.storage ?? "0")
}
