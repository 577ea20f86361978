import { type FCVolumeSource, type ISCSIVolumeSource, type Pod, type SELinuxOptions, type Volume } from "@pilothouse/api/core/v1"
import { csiDrivers } from "@pilothouse/api/storage/v1"
import type { Reader } from "@pilothouse/runtime"
import { csiPrefix } from "../attach-detach/volumes.ts"
import { boundVolume } from "../shared/bound-volume.ts"
import { volumeClaimName } from "../shared/pods-by-claim.ts"

export type ChangePolicy = "MountOption" | "Recursive"

/** How a pod has a volume that other pods may have too. */
export interface LabeledVolume {
  /** As in the status of a Node: "kubernetes.io/csi/disk.example.com^vol-1". */
  readonly volume: string
  /** Of a CSI volume. */
  readonly driver?: string
  /** "user:role:type:level", each part as the pod has it; empty where the volume is not mounted with a label. */
  readonly label: string
  readonly policy: ChangePolicy
}

export interface PodVolumes {
  readonly labeled: readonly LabeledVolume[]
  /** Names in the pod of volumes that its containers mount with different labels. */
  readonly ambiguous: readonly string[]
}

/** Returns the volumes that containers of a pod mount. A claim that is not bound has none yet. */
export function podVolumes(pod: Pod, read: Reader): PodVolumes {
  const labels = mountLabels(pod)
  const mounted = (pod.spec?.volumes ?? []).flatMap((volume) => {
    const own = labels.get(volume.name)
    const source = own && sourceOf(pod, volume, read)
    return own === undefined || source === undefined ? [] : [{ name: volume.name, labels: own, source }]
  })
  return {
    labeled: mounted.flatMap(({ labels: own, source }) =>
      own.size > 1 || source === "other" ? [] : labeled(pod, [...own][0] ?? "", source, read),
    ),
    ambiguous: mounted.flatMap(({ name, labels: own }) => (own.size > 1 ? [name] : [])),
  }
}

/** The labels with which containers mount each volume; none for a volume of containers without options. */
function mountLabels({ spec }: Pod): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>()
  const { initContainers = [], containers = [], ephemeralContainers = [], securityContext: ofPod } = spec ?? { containers: [] }
  for (const { volumeMounts = [], securityContext } of [...initContainers, ...containers, ...ephemeralContainers]) {
    const options = securityContext?.seLinuxOptions ?? ofPod?.seLinuxOptions
    for (const { name } of volumeMounts) {
      const labels = found.get(name) ?? new Set()
      if (options !== undefined) labels.add(labelOf(options))
      found.set(name, labels)
    }
  }
  return found
}

/** Nodes know the defaults of parts that are left out; nothing is filled in here. */
function labelOf({ user = "", role = "", type = "", level = "" }: SELinuxOptions): string {
  const label = [user, role, type, level].join(":")
  return label === ":::" ? "" : label
}

/** A volume that can be mounted with a label; "other" for every other one. */
type Source = { readonly volume: string; readonly driver?: string } | "other"

function sourceOf(pod: Pod, volume: Volume, read: Reader): Source | undefined {
  if (volumeClaimName(pod, volume) === undefined) return ofTransport(volume)
  const bound = boundVolume(pod, volume, read)
  if (bound === undefined) return undefined
  const csi = bound.spec?.csi
  if (csi === undefined) return ofTransport(bound.spec ?? {})
  return { volume: `${csiPrefix}${csi.driver}^${csi.volumeHandle}`, driver: csi.driver }
}

interface Transports {
  readonly fc?: FCVolumeSource
  readonly iscsi?: Pick<ISCSIVolumeSource, "iqn" | "lun" | "targetPortal">
}

function ofTransport({ fc, iscsi }: Transports): Source {
  if (iscsi !== undefined) return { volume: `kubernetes.io/iscsi/${portal(iscsi.targetPortal)}:${iscsi.iqn}:${iscsi.lun}` }
  if (fc === undefined) return "other"
  const { targetWWNs = [], wwids = [], lun } = fc
  if (targetWWNs.length > 0 && lun !== undefined) return { volume: `kubernetes.io/fc/[${targetWWNs.join(" ")}]:${lun}` }
  return wwids.length > 0 ? { volume: `kubernetes.io/fc/[${wwids.join(" ")}]` } : "other"
}

/** "10.0.0.7" → "10.0.0.7:3260" */
function portal(address: string): string {
  return address.includes(":") ? address : `${address}:3260`
}

/** What the kubelet would mount the volume with. */
function labeled(pod: Pod, label: string, source: Exclude<Source, "other">, read: Reader): readonly LabeledVolume[] {
  const wanted: ChangePolicy = pod.spec?.securityContext?.seLinuxChangePolicy === "Recursive" ? "Recursive" : "MountOption"
  const isSupported = source.driver === undefined || read.get(csiDrivers, source.driver)?.spec?.seLinuxMount === true
  const isMountOption = isSupported && wanted === "MountOption" && label !== ""
  return [{ ...source, label: isMountOption ? label : "", policy: isMountOption ? "MountOption" : "Recursive" }]
}
