import type { KubeObject } from "@pilothouse/api"
import type { Duration } from "@pilothouse/seams"
import { leaving } from "./leaving-namespace.ts"
import type { OwnerKind } from "./owners.ts"
import { finished, leftBehind, stopping, unplaced, withReadiness, withStaleMark } from "./pod-changes.ts"

/** What pods go through in front of one controller. Each version of a pod is made from how the crowd has it; undefined: there is no such pod. */
export interface Scene {
  readonly select: string
  /** Of the controllers that are selected, the one that is measured. */
  readonly controller?: string
  /** In words, of one pod. */
  readonly event: string
  /** Only pods of such owners: a controller that an event does not concern costs nothing, and would pass for a cheap one. */
  readonly of?: OwnerKind
  /** How many pods have one owner, where that is not the crowd's usual number. */
  readonly group?: number
  /** How the pod is before, where that is not how the last round left it. Not measured. */
  readonly before?: (pod: KubeObject) => KubeObject | undefined
  /** What happens to it. Measured. Two versions take turns, from round to round. */
  readonly versions: readonly ((pod: KubeObject, round: number) => KubeObject | undefined)[]
  /** How long after the event the controller is done with it: controllers that gather events reconcile later. */
  readonly after?: Duration
  /** In place of the crowd's pods, and what they need. */
  readonly pods?: readonly KubeObject[]
  readonly objects?: readonly KubeObject[]
}

const asItWas = (pod: KubeObject) => pod
const gone = () => undefined
const readiness = {
  event: "becomes ready or not",
  versions: [(pod: KubeObject) => withReadiness(pod, false), asItWas],
}
const placed = { event: "is given a node", before: unplaced, versions: [asItWas] }

/** In the place of a controller: what an event costs the server and a cache, which no controller can do without. */
export const cacheAlone = "cache alone"

/** The controllers that pods enqueue keys of, each with an event that does, and before them what they all stand on. */
export const scenes: readonly Scene[] = [
  { select: cacheAlone, ...readiness },
  { select: cacheAlone, event: "is gone", before: asItWas, versions: [gone] },
  { select: "replicaset", of: "ReplicaSet", ...readiness },
  { select: "replicationcontroller", of: "ReplicationController", ...readiness },
  // Only the last one of its ReplicaSet enqueues it.
  { select: "deployment", of: "ReplicaSet", group: 1, event: "without a sister is gone", before: asItWas, versions: [gone] },
  { select: "statefulset", of: "StatefulSet", ...readiness },
  { select: "daemonset", of: "DaemonSet", ...readiness },
  { select: "job", of: "Job", ...readiness, after: "2s" },
  { select: "endpoint", ...readiness },
  { select: "endpointslice", ...readiness, after: "1s" },
  { select: "disruption", controller: "disruption-controller", ...readiness },
  { select: "disruption", controller: "stale-pod-disruption", event: "was marked long ago", versions: [withStaleMark] },
  {
    select: "podgc",
    of: "ReplicaSet",
    event: "is deleted before it has a node",
    before: unplaced,
    versions: [(pod) => stopping(unplaced(pod))],
  },
  { select: "taint-eviction-controller", ...placed },
  { select: "nodelifecycle", ...placed },
  { select: "pvc-protection", of: "ReplicationController", event: "comes", before: gone, versions: [asItWas] },
  { select: "namespace", event: "of a namespace that is emptied is gone", before: asItWas, versions: [gone], after: "5s", ...leaving },
  { select: "resourcequota", event: "finishes, or starts again", versions: [finished, asItWas], after: "100ms" },
  { select: "garbagecollector", of: "ReplicaSet", event: "has lost its owner", before: asItWas, versions: [leftBehind] },
]
