import { deepEqual, findCondition } from "@pilothouse/api"
import {
  type Node,
  nodes,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
} from "@pilothouse/api/core/v1"
import { csiDrivers, volumeAttachments } from "@pilothouse/api/storage/v1"
import { type Change, type Controller, controller, podsByNode, type Reader, switchFlag, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { counterFamily, createMetrics } from "../shared/metric-families.ts"
import { podClaimKeys, podsByClaim } from "../shared/pods-by-claim.ts"
import { decide } from "./decide.ts"
import { VolumeMemory } from "./memory.ts"
import { attachmentsByNode, attachmentsByVolume, managedAnnotation, nodesOfAttachment, nodesOfVolume, observe } from "./observe.ts"
import { needsVolumes } from "./volumes.ts"

export const attachDetachDescriptor = descriptor({
  name: "persistentvolume-attach-detach-controller",
  aliases: ["attachdetach"],
  flags: {
    "disable-force-detach-on-timeout": switchFlag(false, "leave volumes attached to unhealthy nodes that use them, however long"),
  },
  create: (set, { metrics }) => attachDetachController({ metrics, disableForceDetachOnTimeout: set["disable-force-detach-on-timeout"] }),
})

export const attachDetachFamilies = {
  forced: counterFamily(
    "attach_detach_controller_attachdetach_controller_forced_detaches",
    ["reason"],
    "Volumes that were detached from a node that did not agree to it",
  ),
}

export interface AttachDetachOptions {
  readonly metrics?: Metrics
  /** --disable-force-detach-on-timeout */
  readonly disableForceDetachOnTimeout?: boolean
}

/**
 * Attaches the volumes of CSI drivers to the nodes of the pods that need them, and detaches them afterwards: a VolumeAttachment for each, which the
 * driver's external-attacher carries out, and the list of attached volumes in the status of the Node, without which a kubelet mounts none.
 * Works on one Node at a time; watches Nodes, Pods, claims, volumes, VolumeAttachments and CSIDrivers.
 * A volume for one node is never requested for a second while it is attached to the first, and none is detached while its Node says that it uses it,
 * but from Nodes that are out of service, or unhealthy for six minutes.
 */
export function attachDetachController({ metrics, ...options }: AttachDetachOptions = {}): Controller {
  const memory = new VolumeMemory()
  const recorded = metrics && createMetrics(metrics, attachDetachFamilies)
  return controller("persistentvolume-attach-detach-controller", {
    for: nodes,
    eventSource: "attachdetach-controller",
    predicate: (change) => concernsVolumes(change as Change<Node>),
    reads: [csiDrivers],
    watches: [
      watch(pods, "a pod needs volumes, or does not any more", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []), {
        predicate: changesNeed,
      }),
      watch(persistentVolumeClaims, "the claim of a pod changed", (claim, read) => nodesOfClaim(claim, read)),
      watch(persistentVolumes, "the volume of a pod changed", (volume, read) => nodesOfVolume(volume, read)),
      watch(volumeAttachments, "a volume was attached or detached", nodesOfAttachment),
      watch(csiDrivers, "a driver says whether its volumes are attached", (_driver, read) =>
        read.list(nodes).map(({ metadata }) => metadata.name ?? ""),
      ),
    ],
    indexes: [podsByNode, podsByClaim, attachmentsByNode, attachmentsByVolume],
    executors: memory.executors((reason) => recorded?.forced.add(1, { reason })),
    observe: (name: string, read: Reader) => observe(name, read, memory),
    decide: (observed, context) => decide(observed, context, options),
  })
}

function nodesOfClaim({ spec }: PersistentVolumeClaim, read: Reader): readonly string[] {
  return nodesOfVolume(read.get(persistentVolumes, spec?.volumeName ?? ""), read)
}

/** Most changes of a Node are heartbeats. */
function concernsVolumes(change: Change<Node>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  return !deepEqual(relevantOf(change.old), relevantOf(change.object))
}

function relevantOf({ metadata, spec, status }: Node): unknown {
  const isReady = findCondition(status?.conditions, "Ready")?.status
  return [metadata.annotations?.[managedAnnotation], spec?.taints, isReady, status?.volumesInUse, status?.volumesAttached]
}

/** Most changes of a pod are of its status, and most pods have no claims. */
function changesNeed(change: Change<Pod>): boolean {
  const { type, object } = change
  if (type === "resync" || podClaimKeys(object).length === 0) return false
  if (type !== "updated") return true
  return needsVolumes(change.old) !== needsVolumes(object) || change.old.metadata.uid !== object.metadata.uid
}
