import { storageClassOf } from "@pilothouse/api"
import { type PersistentVolume, persistentVolumeClaims, persistentVolumes } from "@pilothouse/api/core/v1"
import { csiNodes, storageClasses, volumeAttachments } from "@pilothouse/api/storage/v1"
import { index, type Reader } from "@pilothouse/runtime"
import type { VolumesView } from "./volumes.ts"

/** A volume as its driver counts it: once on a node, however many pods use it there. */
export interface CsiVolume {
  readonly driver: string
  readonly id: string
}

/** What is to be known of drivers that can attach only so many volumes to a node. */
export interface CsiVolumesView {
  /** Those of the pod. */
  readonly wanted: readonly CsiVolume[]
  /** How many volumes of a driver the node can have; undefined: as many as one likes. */
  limit(node: string, driver: string): number | undefined
  /** Behind the claim of a pod that is on a node. */
  behind(claim: string): CsiVolume | undefined
  /** What is still attached to the node, by any pod. */
  attachedTo(node: string): readonly CsiVolume[]
}

/** VolumeAttachments by the name of their node. */
export const attachmentsByNode = index(volumeAttachments, "node", ({ spec }) => [spec?.nodeName ?? ""])

/**
 * Observes the volumes of a pod whose CSI drivers have limits; undefined where there are none. Looked up when a node is asked about: nothing is
 * listed.
 */
export function observeCsiVolumes({ claims }: VolumesView, read: Reader): CsiVolumesView | undefined {
  const behind = (claim: string) => volumeBehind(claim, read)
  const wanted = claims.flatMap(({ key }) => behind(key) ?? [])
  if (wanted.length === 0) return undefined
  return {
    wanted,
    behind,
    // A node without drivers may have null there.
    limit: (node, driver) => read.get(csiNodes, node)?.spec?.drivers?.find(({ name }) => name === driver)?.allocatable?.count,
    attachedTo: (node) =>
      read.byIndex(attachmentsByNode, node).flatMap(({ spec }) => {
        const name = spec?.source.persistentVolumeName
        return (name === undefined ? undefined : csiVolume(read.get(persistentVolumes, name))) ?? []
      }),
  }
}

/** A claim that has no volume yet will get one of its class: it counts as a volume of its own. */
function volumeBehind(key: string, read: Reader): CsiVolume | undefined {
  const claim = read.get(persistentVolumeClaims, key)
  if (claim === undefined) return undefined
  const volume = claim.spec?.volumeName ? read.get(persistentVolumes, claim.spec.volumeName) : undefined
  if (volume !== undefined) return csiVolume(volume)
  const driver = read.get(storageClasses, storageClassOf(claim))?.provisioner
  return driver === undefined ? undefined : { driver, id: `${driver} for ${key}` }
}

function csiVolume(volume: PersistentVolume | undefined): CsiVolume | undefined {
  const { csi } = volume?.spec ?? {}
  return csi && { driver: csi.driver, id: `${csi.driver} ${csi.volumeHandle}` }
}
