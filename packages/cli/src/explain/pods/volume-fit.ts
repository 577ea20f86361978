import {
  compareAmounts,
  hasAccessModes,
  hasSameVolumeMode,
  isVolumeFor,
  matchesLabels,
  matchesNodeSelector,
  parseQuantity,
  selectorOf,
  storageClassOf,
} from "@pilothouse/api"
import {
  type Node,
  nodes,
  type ObjectReference,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumes,
} from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"

/** Volumes that are listed; a cluster may have thousands. */
const maxVolumes = 5

/** Returns why each of the nearest volumes does not fit a claim that waits for one. */
export async function unfitVolumes(client: Client, claim: PersistentVolumeClaim): Promise<readonly string[]> {
  if (claim.spec?.volumeName || claim.metadata.deletionTimestamp !== undefined) return []
  const { items } = await client.list(persistentVolumes)
  const places = items.some(({ spec }) => spec?.nodeAffinity?.required !== undefined) ? (await client.list(nodes)).items : []
  const unfit = items.map((volume) => ({ volume, faults: faultsOf(volume, claim, places) })).filter(({ faults }) => faults.length > 0)
  const near = unfit.toSorted((a, b) => a.faults.length - b.faults.length || compareAmounts(sizeOf(b.volume), sizeOf(a.volume)))
  const lines = near.slice(0, maxVolumes).map(({ volume, faults }) => `${volume.metadata.name} does not fit: ${faults.join("; ")}`)
  const more = near.length - lines.length
  return more === 0 ? lines : [...lines, `nor ${more === 1 ? "does 1 other volume" : `do ${more} others`}`]
}

function faultsOf(volume: PersistentVolume, claim: PersistentVolumeClaim, places: readonly Node[]): readonly string[] {
  const ofBoth = [taken, size, storageClass, modes, labels].map((fault) => fault(volume, claim))
  return [...ofBoth, place(volume, places)].filter((fault) => fault !== undefined)
}

function taken(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { metadata, spec, status } = volume
  if (spec?.claimRef !== undefined && !isVolumeFor(volume, claim)) return ownerOf(spec.claimRef, status?.phase, claim)
  if (metadata.deletionTimestamp !== undefined) return "it is being deleted"
  return spec?.claimRef === undefined && status?.phase !== "Available" ? `it is ${status?.phase ?? "Pending"}, not Available` : undefined
}

function ownerOf({ namespace, name }: ObjectReference, phase: string | undefined, { metadata }: PersistentVolumeClaim): string {
  // The data of one that is gone is not handed on to the next of its name.
  if (namespace === metadata.namespace && name === metadata.name) return "it belonged to an earlier claim of this name"
  return `it is ${phase === "Bound" ? "bound to" : "kept for"} the claim ${namespace}/${name}`
}

function size(volume: PersistentVolume, { spec }: PersistentVolumeClaim): string | undefined {
  const wanted = spec?.resources?.requests?.storage ?? "0"
  if (compareAmounts(sizeOf(volume), parseQuantity(wanted)) >= 0) return undefined
  return `it is too small, ${volume.spec?.capacity?.storage ?? "0"} where ${wanted} is wanted`
}

function storageClass(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const [its, wanted] = [storageClassOf(volume), storageClassOf(claim)]
  return its === wanted ? undefined : `its class is "${its}", not "${wanted}"`
}

function modes(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  const { accessModes = [], volumeMode = "Filesystem" } = volume.spec ?? {}
  if (!hasAccessModes(volume, claim))
    return `it can be used ${accessModes.join(", ") || "in no way"}, not ${(claim.spec?.accessModes ?? []).join(", ")}`
  return hasSameVolumeMode(volume, claim) ? undefined : `its volumeMode is ${volumeMode}, not ${claim.spec?.volumeMode ?? "Filesystem"}`
}

function labels({ metadata, spec: its }: PersistentVolume, { spec }: PersistentVolumeClaim): string | undefined {
  if (spec?.selector !== undefined && !matchesLabels(selectorOf(spec.selector), metadata.labels))
    return "the claim's selector does not match its labels"
  const [has, wanted] = [its?.volumeAttributesClassName ?? "", spec?.volumeAttributesClassName ?? ""]
  return has === wanted ? undefined : `its volumeAttributesClassName is "${has}", not "${wanted}"`
}

/** Of a volume that only some nodes can use. */
function place({ spec }: PersistentVolume, places: readonly Node[]): string | undefined {
  const required = spec?.nodeAffinity?.required
  if (required === undefined) return undefined
  try {
    return places.some((node) => matchesNodeSelector(required, node)) ? undefined : "no node that is there can use it"
  } catch {
    return "its nodeAffinity cannot be read, so no node can use it"
  }
}

function sizeOf({ spec }: PersistentVolume) {
  return parseQuantity(spec?.capacity?.storage ?? "0")
}
