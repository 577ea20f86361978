import { compareAmounts, deepEqual, isPodTerminal, keyOf, podRequests } from "@pilothouse/api"
import { type Node, nodes, type PersistentVolume, type Pod, persistentVolumeClaims, persistentVolumes, pods } from "@pilothouse/api/core/v1"
import { deviceClasses, type ResourceClaim, resourceClaims, resourceSlices } from "@pilothouse/api/resource/v1"
import { type CSINode, csiDrivers, csiNodes, csiStorageCapacities, storageClasses, volumeAttachments } from "@pilothouse/api/storage/v1"
import { type Change, type Watch, watch } from "@pilothouse/runtime"
import { waitingByResourceClaim } from "../devices/devices-view.ts"
import { waitingByClaim } from "../pod/waiting-pods.ts"
import type { Attempts } from "./attempts.ts"
import type { FilterName } from "./filter-name.ts"

/** The changes that may help a refused pod, each with the filters that must have refused it. A node's heartbeat helps none. */
export function queueingHints(attempts: Attempts): readonly Watch[] {
  const refusedBy =
    (...names: readonly FilterName[]) =>
    () =>
      attempts.refusedBy(names)
  return [
    watch(nodes, "a node came, so a waiting pod may fit", refusedBy(), { predicate: ({ type }) => type === "added" }),
    watch(nodes, "a node can be used again", refusedBy("unschedulable"), { predicate: updated(isUncordoned) }),
    watch(nodes, "a node has other taints", refusedBy("taints", "topologySpread"), { predicate: updated(hasOtherTaints) }),
    watch(nodes, "a node has other labels", refusedBy(...byLabels), { predicate: updated(hasOtherLabels) }),
    watch(nodes, "a node can give more", refusedBy("resources"), { predicate: updated(hasOtherCapacity) }),
    watch(pods, "a pod left its node", refusedBy(...byPodsThere), { predicate: leavesItsNode }),
    watch(pods, "a pod asks for less", refusedBy("resources"), {
      predicate: (change) => attempts.hasRefused("resources") && asksForLess(change),
    }),
    watch(pods, "a pod came to a node, or has other labels", refusedBy("podAffinity", "topologySpread"), { predicate: comesOrChanges }),
    watch(persistentVolumeClaims, "a claim of the pod changed", (claim, read) => read.byIndex(waitingByClaim, keyOf(claim)).map(keyOf)),
    watch(persistentVolumes, "a volume changed", refusedBy("volumeBinding", "volumeZone"), { predicate: volumeMayHelp }),
    watch(csiNodes, "a node can have other volumes", refusedBy("volumeLimits"), { predicate: hasOtherLimits }),
    watch(volumeAttachments, "a volume was detached", refusedBy("volumeLimits"), { predicate: ({ type }) => type === "deleted" }),
    watch(resourceClaims, "a ResourceClaim of the pod changed", (claim, read) =>
      read.byIndex(waitingByResourceClaim, keyOf(claim)).map(keyOf),
    ),
    watch(resourceClaims, "devices are free again", refusedBy("dynamicResources"), { predicate: freesDevices }),
    watch(resourceSlices, "there are other devices", refusedBy("dynamicResources"), { predicate: ({ type }) => type !== "deleted" }),
    watch(deviceClasses, "a device class changed", refusedBy("dynamicResources"), { predicate: ({ type }) => type !== "deleted" }),
    watch(csiStorageCapacities, "a driver has room for other volumes", refusedBy("volumeBinding"), {
      predicate: ({ type }) => type === "added" || type === "updated",
    }),
    watch(csiDrivers, "a driver counts its room no longer", refusedBy("volumeBinding"), { predicate: ({ type }) => type === "updated" }),
    watch(storageClasses, "a storage class changed", refusedBy("volumeBinding"), { predicate: ({ type }) => type !== "deleted" }),
  ]
}

const byLabels: readonly FilterName[] = ["nodeAffinity", "topologySpread", "podAffinity", "volumeBinding", "volumeZone", "dynamicResources"]
/** The filters that may pass when a pod leaves its node. */
export const byPodsThere: readonly FilterName[] = [
  "resources",
  "hostPorts",
  "processPorts",
  "podAffinity",
  "topologySpread",
  "diskConflicts",
  "readWriteOncePod",
  "volumeLimits",
]

function updated(matters: (old: Node, node: Node) => boolean): (change: Change<Node>) => boolean {
  return (change) => change.type === "updated" && matters(change.old, change.object)
}

function isUncordoned(old: Node, node: Node): boolean {
  return old.spec?.unschedulable === true && !node.spec?.unschedulable
}

function hasOtherTaints(old: Node, node: Node): boolean {
  return !deepEqual(old.spec?.taints, node.spec?.taints)
}

function hasOtherLabels(old: Node, node: Node): boolean {
  return !deepEqual(old.metadata.labels, node.metadata.labels)
}

function hasOtherCapacity(old: Node, node: Node): boolean {
  return !deepEqual(old.status?.allocatable, node.status?.allocatable)
}

function hasOtherLimits(change: Change<CSINode>): boolean {
  if (change.type !== "updated") return change.type === "added"
  return !deepEqual(change.old.spec, change.object.spec)
}

function freesDevices(change: Change<ResourceClaim>): boolean {
  if (change.type === "deleted") return change.object.status?.allocation !== undefined
  return change.type === "updated" && change.old.status?.allocation !== undefined && change.object.status?.allocation === undefined
}

/** A pod whose last state was missed may have had a node that the cache never showed. */
function leavesItsNode(change: Change<Pod>): boolean {
  if (change.type === "deleted") return change.finalStateUnknown || Boolean(change.object.spec?.nodeName)
  return change.type === "updated" && !isPodTerminal(change.old) && isPodTerminal(change.object)
}

/** It was resized while it runs. */
function asksForLess(change: Change<Pod>): boolean {
  if (change.type !== "updated" || !change.object.spec?.nodeName) return false
  const [before, now] = [change.old, change.object].map((pod) => podRequests(pod, { withStatus: true }))
  return [...before!].some(([name, amount]) => {
    const left = now!.get(name)
    return left === undefined || compareAmounts(left, amount) < 0
  })
}

function comesOrChanges(change: Change<Pod>, initial: boolean): boolean {
  const { object } = change
  if (initial || !object.spec?.nodeName || change.type === "deleted" || change.type === "resync") return false
  if (change.type === "added") return true
  const { old } = change
  const leaves = old.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp !== undefined
  return !old.spec?.nodeName || leaves || !deepEqual(old.metadata.labels, object.metadata.labels)
}

function volumeMayHelp(change: Change<PersistentVolume>): boolean {
  if (change.type === "added") return true
  if (change.type !== "updated") return false
  const { old, object } = change
  return (
    !deepEqual(old.spec, object.spec) ||
    old.status?.phase !== object.status?.phase ||
    !deepEqual(old.metadata.labels, object.metadata.labels)
  )
}
