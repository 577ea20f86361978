import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Node, nodes, type Pod } from "@pilothouse/api/core/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"
import { podsOffered } from "../process/endpoint-index.ts"
import type { Processes } from "../process/processes.ts"
import { hasProcesses, type PodProcesses } from "./container/process-facts.ts"
import { type FindKeys, findKeysIn } from "./container/references.ts"
import { isPaused, isSimulated, runsProcesses } from "./node/simulated-node.ts"
import type { PodNetwork } from "./pod/pod-network.ts"

/** The namespace of node Leases. */
export const leaseNamespace = "kube-node-lease"

/** Leases by the name of their node. */
export const leaseOfNode = index(leases, "node-lease", ({ metadata }) =>
  metadata.namespace === leaseNamespace && metadata.name ? [metadata.name] : [],
)

/** A simulated node with its Lease, its pods and their processes. */
export interface Observed {
  readonly node: Node
  readonly lease?: Lease
  readonly pods: readonly Pod[]
  /** What is there of what pods refer to. */
  readonly find?: FindKeys
  /** The processes of pods that have some, by uid. */
  readonly processes?: ReadonlyMap<string, PodProcesses>
  /** All processes share the one address that this host has. */
  readonly oneAddress?: boolean
  /** The source of pod addresses, where it is not the node's own block. */
  readonly network?: PodNetwork
  /** Whether processes are left of pods that are gone. */
  readonly hasOrphans?: boolean
}

/** A node that is gone, while processes of it are left. */
export interface GoneNode {
  readonly gone: string
}

/** What `observe` uses besides the cache. */
export interface ObserveOptions {
  readonly processes?: Processes
  readonly network?: PodNetwork
}

/** Reads the node; undefined where it is not simulated, or paused. */
export function observe(key: string, read: Reader, { processes, network }: ObserveOptions = {}): Observed | GoneNode | undefined {
  const node = read.get(nodes, key)
  if (node === undefined) return processes?.hasOrphans(key, () => false) ? { gone: key } : undefined
  if (!isSimulated(node) || isPaused(node)) return undefined
  const seen = { node, network, lease: read.byIndex(leaseOfNode, key)[0], pods: read.byIndex(podsByNode, key), find: findKeysIn(read) }
  return processes === undefined || !runsProcesses(node) ? seen : { ...seen, ...observeProcesses(seen.pods, key, read, processes) }
}

function observeProcesses(
  pods: readonly Pod[],
  node: string,
  read: Reader,
  processes: Processes,
): Pick<Observed, "processes" | "oneAddress" | "hasOrphans"> {
  const theirs = pods.filter(hasProcesses).map((pod): [string, PodProcesses] => {
    const { uid = "", namespace, name } = pod.metadata
    return [uid, processes.of(pod, read.byIndex(podsOffered, `${namespace}/${name}`).length === 0)]
  })
  const there = new Map(theirs)
  return { processes: there, oneAddress: processes.oneAddress, hasOrphans: processes.hasOrphans(node, (uid) => there.has(uid)) }
}
