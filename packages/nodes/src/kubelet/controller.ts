import { type Descriptor, deepEqual, keyOf } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { type ConfigMap, configMaps, nodes, pods, type Secret, secrets } from "@pilothouse/api/core/v1"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import { type Controller, controller, exponentialLimiter, podsByNode, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { podsOffered } from "../process/endpoint-index.ts"
import { processExecutors } from "../process/executors.ts"
import type { Processes } from "../process/processes.ts"
import { keysOf, podsByReference, referenceName } from "./container/references.ts"
import { decide, renewInterval, settle } from "./decide.ts"
import { leaseOfNode, observe } from "./observe.ts"
import type { PodNetwork } from "./pod/pod-network.ts"

/** What simulated kubelets record, run and address. */
export interface SimulatedKubeletOptions {
  /** Whether events are recorded for pods, as kubelets do: three for each container that starts. False by default. */
  readonly events?: boolean
  /** Where pods whose image is `process` really run, on nodes that are registered with `exec`. */
  readonly processes?: Processes
  /** Assigns pods their addresses; by default each node uses a block of its own. */
  readonly network?: PodNetwork
}

/**
 * The kubelets of all simulated nodes: the nodes are Ready and renew their Leases, pods that are given to them run at once,
 * pods that are deleted stop at once, unless their annotations say otherwise (docs/reference/simulated-nodes.md).
 * One key is one node, so that two pods never get the same address. All state of a pod is in its status.
 */
export function simulatedKubelets({ events = false, processes, network }: SimulatedKubeletOptions = {}): Controller {
  const onNode = watch(pods, "a pod on the node changed", (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []))
  const ofPods = watch(endpointSlices, "the endpoints of its pods changed", ({ endpoints }) =>
    (endpoints ?? []).flatMap(({ nodeName }) => (nodeName === undefined ? [] : [nodeName])),
  )
  const common = [onNode, referred(configMaps, "ConfigMap"), referred(secrets, "Secret")]
  const indexes = [podsByNode, leaseOfNode, podsByReference]
  return controller("simulated-kubelet", {
    for: nodes,
    watches: processes === undefined ? common : [...common, ofPods],
    reads: [leases],
    indexes: processes === undefined ? indexes : [...indexes, podsOffered],
    // A pod that the server refuses again and again must not keep the node from renewing its Lease.
    backoff: () => exponentialLimiter({ max: renewInterval }),
    eventSource: "kubelet",
    fieldManager: "kubelet",
    ...(processes && { executors: processExecutors(processes), sources: [processes] }),
    observe: (key, read) => observe(key, read, { processes, network }),
    decide,
    ...(events && { settle }),
  })
}

/** Enqueues the nodes whose pods may wait for a ConfigMap or Secret, when it is created or has other keys. */
function referred<T extends ConfigMap | Secret>(of: Descriptor<T>, kind: "ConfigMap" | "Secret"): Watch {
  const nodesOf = (object: T, read: Reader) =>
    read.byIndex(podsByReference, referenceName(kind, keyOf(object))).flatMap(({ spec }) => spec?.nodeName ?? [])
  return watch(of, `a ${kind} that pods refer to came`, nodesOf, {
    predicate: (change) => change.type === "added" || (change.type === "updated" && !deepEqual(keysOf(change.old), keysOf(change.object))),
  })
}
