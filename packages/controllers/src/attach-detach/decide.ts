import { deepEqual, parseTime } from "@pilothouse/api"
import type { AttachedVolume, Node, Pod } from "@pilothouse/api/core/v1"
import type { VolumeAttachment } from "@pilothouse/api/storage/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { type DetachOptions, isDetachable, isListed, mayDetach } from "./detach.ts"
import type { NodeMemory, RememberForcedDetach, RememberVolumes } from "./memory.ts"
import type { Elsewhere, Observed, VolumeOnNode } from "./observe.ts"
import { attachmentName, csiPrefix } from "./volumes.ts"

/** Milliseconds that a driver has to attach a volume before an event reports it. */
const attachLimit = 2 * 60_000

/** What is decided of all volumes of one node, before it is written. */
interface Decision {
  readonly observed: Observed
  readonly options: DetachOptions
  readonly now: number
  readonly built: PlanBuilder
  readonly detachSince: Record<string, number>
  readonly reported: Record<string, string>
  readonly claimed: string[]
  /** Volumes that the status of the Node is to list. */
  readonly listed: string[]
  readonly creates: VolumeOnNode[]
  readonly deletes: { readonly one: VolumeOnNode; readonly forced: RememberForcedDetach["cause"] | undefined }[]
  requeueAt: number
}

/**
 * Decides for all volumes of a node: VolumeAttachments for those that pods need, the list of attached ones in the status of the Node, and what is to be
 * detached. A volume is taken off that list in one reconcile and detached in a later one.
 */
export function decide(observed: Observed, { now }: DecideContext, options: DetachOptions = {}): Plan {
  const decision: Decision = {
    observed,
    options,
    now,
    built: plan(),
    detachSince: {},
    reported: {},
    claimed: [],
    listed: [],
    creates: [],
    deletes: [],
    requeueAt: Number.POSITIVE_INFINITY,
  }
  for (const one of observed.volumes) {
    if (one.pods.length > 0) attach(decision, one)
    else detach(decision, one)
  }
  return written(decision)
}

function attach(decision: Decision, one: VolumeOnNode): void {
  const { volume, attachment } = one
  if (attachment === undefined) return begin(decision, one)
  if (attachment.metadata.deletionTimestamp !== undefined)
    return void decision.built.waitFor(`the VolumeAttachment of ${volume.volume} to be deleted`)
  if (attachment.status?.attached === true) return list(decision, one)
  decision.built.waitFor(`${volume.driver} to attach ${volume.volume}`)
  const { attachError } = attachment.status ?? {}
  if (attachError !== undefined)
    return report(
      decision,
      one,
      attachError.time ?? "",
      `AttachVolume.Attach failed for volume "${volume.volume}" : ${attachError.message ?? ""}`,
    )
  const limit = createdAt(attachment) + attachLimit
  if (decision.now < limit) return requeueAt(decision, limit)
  const text = `timed out waiting for external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`
  report(decision, one, "timeout", `AttachVolume.Attach failed for volume "${volume.volume}" : ${text}`)
}

/** Creates the VolumeAttachment, unless another node has the volume or is about to get it. */
function begin(decision: Decision, one: VolumeOnNode): void {
  const { volume, elsewhere } = one
  const holders = elsewhere.filter(({ attachment }) => attachment?.status?.attached === true)
  if (holders.length > 0) {
    decision.built.waitFor(`${volume.volume} to be detached from ${holders.map(({ node }) => node).join(", ")}`)
    return reportMultiAttach(decision, one, holders)
  }
  const pending = elsewhere.filter((other) => isPending(other, decision.now))
  if (pending.length > 0) {
    decision.built.waitFor(`${volume.volume} to be attached to ${pending.map(({ node }) => node).join(", ")}, or to fail there`)
    const limits = pending.flatMap(({ attachment }) => (attachment === undefined ? [] : [createdAt(attachment) + attachLimit]))
    return requeueAt(decision, Math.max(decision.now, ...limits) + 1000)
  }
  decision.creates.push(one)
  if (!volume.isShared) decision.claimed.push(volume.name)
}

/** Reports whether an attach that is not confirmed keeps others from the volume: until it has failed, or should have succeeded. */
function isPending({ attachment }: Elsewhere, now: number): boolean {
  if (attachment === undefined) return true
  const { metadata, status } = attachment
  if (metadata.deletionTimestamp !== undefined || status?.attachError !== undefined) return false
  return now < createdAt(attachment) + attachLimit
}

function createdAt({ metadata }: VolumeAttachment): number {
  return metadata.creationTimestamp === undefined ? 0 : parseTime(metadata.creationTimestamp)
}

/** The volume is attached: its kubelet may mount it. */
function list({ listed, observed, built }: Decision, { volume, pods }: VolumeOnNode): void {
  listed.push(volume.name)
  if (isListed(observed.node, volume.name)) return
  for (const pod of pods)
    built.event(pod, "Normal", "SuccessfulAttachVolume", `AttachVolume.Attach succeeded for volume "${volume.volume}" `)
}

function detach(decision: Decision, one: VolumeOnNode): void {
  const { observed, now, built, listed } = decision
  const { volume, attachment } = one
  if (attachment === undefined || attachment.metadata.deletionTimestamp !== undefined) return
  const since = observed.memory.detachSince[volume.name] ?? now
  decision.detachSince[volume.name] = since
  const decided = mayDetach(observed, volume.name, since, now, decision.options)
  if (!decided.may) {
    built.waitFor(`the node to unmount ${volume.volume}`)
    if (attachment.status?.attached === true) listed.push(volume.name)
    return decided.at === undefined ? undefined : requeueAt(decision, decided.at)
  }
  // Its kubelet must not begin to mount it: first the Node stops listing it, and then the server is asked whether it uses it.
  if (isDetachable(observed, one)) decision.deletes.push({ one, forced: decided.cause === "unused" ? undefined : decided.cause })
}

function reportMultiAttach(decision: Decision, one: VolumeOnNode, holders: readonly Elsewhere[]): void {
  const { observed, built, reported } = decision
  const { volume, pods } = one
  reported[volume.name] = "Multi-Attach"
  if (observed.memory.reported[volume.name] === "Multi-Attach") return
  for (const pod of pods) {
    const text = multiAttachMessage(
      pod,
      holders.flatMap((holder) => holder.pods),
    )
    built.event(pod, "Warning", "FailedAttachVolume", `Multi-Attach error for volume "${volume.volume}" ${text}`)
  }
}

/** Once for each failure. */
function report({ observed, built, reported }: Decision, { volume, pods }: VolumeOnNode, failure: string, message: string): void {
  const said = `${failure} ${message}`
  reported[volume.name] = said
  if (observed.memory.reported[volume.name] === said) return
  for (const pod of pods) built.event(pod, "Warning", "FailedAttachVolume", message)
}

function requeueAt(decision: Decision, at: number): void {
  decision.requeueAt = Math.min(decision.requeueAt, at)
}

function written(decision: Decision): Plan {
  const { observed, now, built, detachSince, reported, claimed } = decision
  const memory: NodeMemory = { detachSince, reported, claimed }
  if (!deepEqual(memory, observed.memory)) built.operation(rememberVolumes(observed.name, memory)).nextStep()
  writeList(decision)
  for (const { volume } of decision.creates)
    built.create(newAttachment(observed.name, volume), "a pod on the node needs the volume", { tolerate: ["AlreadyExists"] })
  for (const { one, forced } of decision.deletes) writeDelete(built, one, forced)
  if (Number.isFinite(decision.requeueAt))
    built.requeueAfter(Math.max(decision.requeueAt - now, 0), "a volume may be attached or detached then")
  if (built.steps.every(({ operations }) => operations.length === 0)) built.nothing("every volume is where it is needed")
  return built
}

/** The status of the Node lists what is attached. What is no volume of a CSI driver is left as it is. */
function writeList({ observed: { node }, listed, built }: Decision): void {
  if (node === undefined) return
  const before = node.status?.volumesAttached ?? []
  const wanted = new Set(listed)
  const kept = before.filter(({ name }) => wanted.has(name) || !name.startsWith(csiPrefix))
  const added = listed.filter((name) => !isListed(node, name)).map((name): AttachedVolume => ({ name, devicePath: "" }))
  if (kept.length === before.length && added.length === 0) return
  const reason = added.length > 0 ? "its kubelet may mount what is attached" : "its kubelet must not mount what is to be detached"
  const volumesAttached = [...kept, ...added]
  built.patch(node, { status: { volumesAttached } } as Partial<Node>, reason, { subresource: "status", tolerate: ["NotFound"] })
}

function writeDelete(built: PlanBuilder, { attachment, volume }: VolumeOnNode, cause: RememberForcedDetach["cause"] | undefined): void {
  const reason =
    cause === undefined
      ? "no pod on the node needs the volume"
      : `no pod on the node needs the volume, and the node does not answer (${cause})`
  built.delete(attachment!, reason, { preconditions: { uid: attachment!.metadata.uid } })
  if (cause !== undefined) built.operation({ do: "remember-forced-detach", to: volume.name, reason, cause } as RememberForcedDetach)
}

function rememberVolumes(node: string, memory: NodeMemory): RememberVolumes {
  return {
    do: "remember-volumes",
    to: `the volumes of ${node}`,
    reason: "waits begin now, and a volume for one node is attached to no other",
    node,
    memory,
  }
}

function newAttachment(node: string, volume: VolumeOnNode["volume"]): VolumeAttachment {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: attachmentName(volume, node) },
    spec: { attacher: volume.driver, nodeName: node, source: { persistentVolumeName: volume.volume } },
  }
}

/** The message of a pod's event about a volume that other nodes have. Pods of other namespaces are counted, and not named. */
export function multiAttachMessage(pod: Pod, others: readonly Pod[]): string {
  if (others.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another"
  const local = others.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace).map(({ metadata }) => metadata.name)
  const foreign = others.length - local.length
  if (local.length === 0) return `Volume is already used by ${foreign} pod(s) in different namespaces`
  const named = `Volume is already used by pod(s) ${local.join(", ")}`
  return foreign === 0 ? named : `${named} and ${foreign} pod(s) in different namespaces`
}
