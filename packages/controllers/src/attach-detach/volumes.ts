import { createHash } from "node:crypto"
import type { PersistentVolume, Pod } from "@pilothouse/api/core/v1"
import { csiDrivers } from "@pilothouse/api/storage/v1"
import type { Reader } from "@pilothouse/runtime"
import { boundVolume } from "../shared/bound-volume.ts"
import { hasPodStopped } from "../shared/pods-by-claim.ts"

/** A volume of a CSI driver that has to be attached to a node before a kubelet mounts it. */
export interface AttachableVolume {
  /** As in the status of a Node: "kubernetes.io/csi/disk.example.com^vol-1". */
  readonly name: string
  readonly driver: string
  readonly handle: string
  /** The name of its PersistentVolume. */
  readonly volume: string
  /** Whether several nodes may have it at a time. */
  readonly isShared: boolean
}

/** What the name of every CSI volume in the status of a Node begins with. */
export const csiPrefix = "kubernetes.io/csi/"

/** The name of a VolumeAttachment: upstream's, so that one controller can take over from the other. */
export function attachmentName({ handle, driver }: Pick<AttachableVolume, "handle" | "driver">, node: string): string {
  return `csi-${createHash("sha256").update(`${handle}${driver}${node}`).digest("hex")}`
}

/** Returns the volume of a PersistentVolume; undefined where it is not one of a CSI driver. */
export function attachableVolume({ metadata, spec }: PersistentVolume): AttachableVolume | undefined {
  const csi = spec?.csi
  if (csi === undefined) return undefined
  const modes = spec?.accessModes ?? []
  return {
    name: `${csiPrefix}${csi.driver}^${csi.volumeHandle}`,
    driver: csi.driver,
    handle: csi.volumeHandle,
    volume: metadata.name ?? "",
    isShared: modes.length === 0 || modes.includes("ReadWriteMany") || modes.includes("ReadOnlyMany"),
  }
}

/** Reports whether a pod is to have its volumes attached: it has a node, and its containers have not stopped. */
export function needsVolumes(pod: Pod): boolean {
  return (pod.spec?.nodeName ?? "") !== "" && !hasPodStopped(pod)
}

/** Returns the volumes that a pod needs attached. A claim that is not bound has none yet. */
export function podVolumes(pod: Pod, read: Reader): readonly AttachableVolume[] {
  if (!needsVolumes(pod)) return []
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const found = boundVolume(pod, volume, read)
    const attachable = found && attachableVolume(found)
    return attachable === undefined || !requiresAttach(attachable.driver, read) ? [] : [attachable]
  })
}

/** A driver that has not said anything has its volumes attached. */
function requiresAttach(driver: string, read: Reader): boolean {
  return read.get(csiDrivers, driver)?.spec?.attachRequired !== false
}
