import type { KubeObject } from "@pilothouse/api"
import { leaving } from "./leaving-namespace.ts"
import type { OwnerKind } from "./owners.ts"
import { finished, leftBehind, markedInVain, stopping, unplaced, withReadiness } from "./pod-changes.ts"

/** What pods go through in front of one loop. Each version of a pod is made from how the crowd has it; undefined: there is no such pod. */
export interface Scene {
  readonly loop: string
  /** Of the controllers that the controller consists of, the one that is measured. */
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
  /** How long after the event the controller is done with it: controllers that gather events look later. */
  readonly after?: string
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

/** The controllers that pods wake, each with an event that wakes it, and before them what they all stand on. */
export const scenes: readonly Scene[] = [
  { loop: cacheAlone, ...readiness },
  { loop: cacheAlone, event: "is gone", before: asItWas, versions: [gone] },
  { loop: "replicaset", of: "ReplicaSet", ...readiness },
  { loop: "replicationcontroller", of: "ReplicationController", ...readiness },
  // Only the last one of its ReplicaSet wakes it.
  { loop: "deployment", of: "ReplicaSet", group: 1, event: "without a sister is gone", before: asItWas, versions: [gone] },
  { loop: "statefulset", of: "StatefulSet", ...readiness },
  { loop: "daemonset", of: "DaemonSet", ...readiness },
  { loop: "job", of: "Job", ...readiness, after: "2s" },
  { loop: "endpoint", ...readiness },
  { loop: "endpointslice", ...readiness, after: "1s" },
  { loop: "disruption", controller: "disruption-controller", ...readiness },
  { loop: "disruption", controller: "stale-pod-disruption", event: "was marked in vain", versions: [markedInVain] },
  {
    loop: "podgc",
    of: "ReplicaSet",
    event: "is deleted before it has a node",
    before: unplaced,
    versions: [(pod) => stopping(unplaced(pod))],
  },
  { loop: "taint-eviction-controller", ...placed },
  { loop: "nodelifecycle", ...placed },
  { loop: "pvc-protection", of: "ReplicationController", event: "comes", before: gone, versions: [asItWas] },
  { loop: "namespace", event: "of a namespace that is emptied is gone", before: asItWas, versions: [gone], after: "5s", ...leaving },
  { loop: "resourcequota", event: "finishes, or starts anew", versions: [finished, asItWas], after: "100ms" },
  { loop: "garbagecollector", of: "ReplicaSet", event: "has lost its owner", before: asItWas, versions: [leftBehind] },
]
