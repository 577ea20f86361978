import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Node, nodes, type Pod } from "@pilothouse/api/core/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"
import { isSimulated } from "./simulated-node.ts"

export const leaseNamespace = "kube-node-lease"

export const leaseOfNode = index(leases, "node-lease", ({ metadata }) =>
  metadata.namespace === leaseNamespace && metadata.name ? [metadata.name] : [],
)

export interface Observed {
  readonly node: Node
  readonly lease?: Lease
  readonly pods: readonly Pod[]
}

export function observe(key: string, read: Reader): Observed | undefined {
  const node = read.get(nodes, key)
  if (node === undefined || !isSimulated(node)) return undefined
  return { node, lease: read.byIndex(leaseOfNode, key)[0], pods: read.byIndex(podsByNode, key) }
}
