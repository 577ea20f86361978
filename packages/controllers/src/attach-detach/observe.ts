import { type Node, nodes, type PersistentVolume, type Pod, persistentVolumes } from "@pilothouse/api/core/v1"
import { type VolumeAttachment, volumeAttachments } from "@pilothouse/api/storage/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"
import { podsByClaim } from "../shared/pods-by-claim.ts"
import { awaitsDetach } from "./detach.ts"
import type { NodeMemory, VolumeMemory } from "./memory.ts"
import { type AttachableVolume, attachableVolume, attachmentName, needsVolumes, podVolumes } from "./volumes.ts"

export const managedAnnotation = "volumes.kubernetes.io/controller-managed-attach-detach"

export const attachmentsByNode = index(volumeAttachments, "node", ({ spec }: VolumeAttachment) => [spec.nodeName])
export const attachmentsByVolume = index(volumeAttachments, "volume", ({ spec }: VolumeAttachment): readonly string[] =>
  spec.source.persistentVolumeName === undefined ? [] : [spec.source.persistentVolumeName],
)

/** Where else a volume is, or is about to be. */
export interface Elsewhere {
  readonly node: string
  readonly attachment: VolumeAttachment | undefined
  /** The pods there that need the volume. */
  readonly pods: readonly Pod[]
}

/** A volume that pods of the node need, or that is attached to it. */
export interface VolumeOnNode {
  readonly volume: AttachableVolume
  /** Those that need it; none when it is to be detached. */
  readonly pods: readonly Pod[]
  readonly attachment: VolumeAttachment | undefined
  /** Of a volume for one node that is not attached to this one. */
  readonly elsewhere: readonly Elsewhere[]
}

export interface Observed {
  readonly name: string
  readonly node: Node | undefined
  readonly volumes: readonly VolumeOnNode[]
  readonly memory: NodeMemory
  /** The Node as the server has it now, where a volume may be detached unless it is in use; null when it is gone. */
  readonly live?: Node | null
}

/** Reads the Node from the server only before a volume is detached from it. */
export async function observe(name: string, read: Reader, memory: VolumeMemory): Promise<Observed | undefined> {
  const cached = observeCached(name, read, memory)
  if (cached === undefined || !awaitsDetach(cached)) return cached
  const live = (await read.live(nodes, name)) ?? null
  const now = observeCached(name, read, memory)
  return now && { ...now, live }
}

function observeCached(name: string, read: Reader, memory: VolumeMemory): Observed | undefined {
  const node = read.get(nodes, name)
  const attachments = read.byIndex(attachmentsByNode, name)
  // Its kubelet attaches volumes by itself, and would be disturbed.
  if (node !== undefined && node.metadata.annotations?.[managedAnnotation] === undefined) return undefined
  const wanted = node === undefined ? new Map<string, Wanted>() : wantedVolumes(name, read)
  for (const attachment of attachments) {
    const volume = volumeOf(attachment, read)
    if (volume !== undefined && !wanted.has(volume.name)) wanted.set(volume.name, { volume, pods: [] })
  }
  const own = new Map(attachments.map((attachment) => [attachment.metadata.name, attachment]))
  const volumes = [...wanted.values()].map(({ volume, pods }): VolumeOnNode => {
    const attachment = own.get(attachmentName(volume, name))
    const isFree = volume.isShared || pods.length === 0 || attachment?.status?.attached === true
    return { volume, pods, attachment, elsewhere: isFree ? [] : elsewhere(volume, name, read, memory) }
  })
  const remembered = memory.of(name)
  if (node === undefined && volumes.length === 0 && remembered.claimed.length === 0) return undefined
  return { name, node, volumes: volumes.filter((one) => one.pods.length > 0 || one.attachment !== undefined), memory: remembered }
}

interface Wanted {
  readonly volume: AttachableVolume
  readonly pods: Pod[]
}

function wantedVolumes(node: string, read: Reader): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  for (const pod of read.byIndex(podsByNode, node)) {
    for (const volume of podVolumes(pod, read)) {
      const known = wanted.get(volume.name) ?? { volume, pods: [] }
      if (known.pods.at(-1) !== pod) known.pods.push(pod)
      wanted.set(volume.name, known)
    }
  }
  return wanted
}

/** The volume of a VolumeAttachment that this controller, or upstream's, has created. */
function volumeOf({ metadata, spec }: VolumeAttachment, read: Reader): AttachableVolume | undefined {
  const found = read.get(persistentVolumes, spec.source.persistentVolumeName ?? "")
  const volume = found && attachableVolume(found)
  return volume?.driver === spec.attacher && metadata.name === attachmentName(volume, spec.nodeName) ? volume : undefined
}

function elsewhere(volume: AttachableVolume, node: string, read: Reader, memory: VolumeMemory): readonly Elsewhere[] {
  const others = read
    .byIndex(attachmentsByVolume, volume.volume)
    .filter(({ spec }) => spec.nodeName !== node && spec.attacher === volume.driver)
  const users = usersOf(read.get(persistentVolumes, volume.volume), read)
  const podsOn = (name: string) => users.filter(({ spec }) => spec?.nodeName === name)
  const attached = others.map((attachment) => ({ node: attachment.spec.nodeName, attachment, pods: podsOn(attachment.spec.nodeName) }))
  const claimant = memory.claimantOf(volume.name)
  const isNew = claimant !== undefined && claimant !== node && !attached.some((other) => other.node === claimant)
  return isNew ? [...attached, { node: claimant, attachment: undefined, pods: podsOn(claimant) }] : attached
}

function usersOf(volume: PersistentVolume | undefined, read: Reader): readonly Pod[] {
  const { namespace, name } = volume?.spec?.claimRef ?? {}
  return name === undefined ? [] : read.byIndex(podsByClaim, `${namespace}/${name}`).filter(needsVolumes)
}

/** The nodes whose pods need a PersistentVolume. */
export function nodesOfVolume(volume: PersistentVolume | undefined, read: Reader): readonly string[] {
  return [...new Set(usersOf(volume, read).flatMap(({ spec }) => spec?.nodeName ?? []))]
}

/** The nodes that a VolumeAttachment concerns: its own, and those that wait for its volume. */
export function nodesOfAttachment({ spec }: VolumeAttachment, read: Reader): readonly string[] {
  const volume = read.get(persistentVolumes, spec.source.persistentVolumeName ?? "")
  return [...new Set([spec.nodeName, ...nodesOfVolume(volume, read)])]
}
