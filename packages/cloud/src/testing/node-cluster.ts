import { type Node, nodes } from "@pilothouse/api/core/v1"
import type { Controller } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"
import { type Cluster, cluster } from "@pilothouse/testing"
import { MemoryCloud } from "../memory/memory-cloud.ts"
import { memoryProvider } from "../memory/provider.ts"
import type { CloudProvider } from "../provider/provider.ts"

/** A running cluster with one controller and its cloud. */
export interface NodeCluster extends AsyncDisposable {
  readonly running: Cluster
  readonly cloud: MemoryCloud
  node(name: string): Promise<Node>
}

/** Starts a cluster without nodes of its own, with one controller on a MemoryCloud. */
export async function nodeCluster(controller: (provider: CloudProvider, clock: Clock) => Controller): Promise<NodeCluster> {
  const made: { cloud?: MemoryCloud } = {}
  const extra = (clock: Clock) => {
    made.cloud ??= new MemoryCloud({ clock })
    return [controller(memoryProvider({ cloud: made.cloud }), clock)]
  }
  const running = await cluster({ controllers: [], nodes: 0, extra, expectFailure: /^(cloud-node|node-route)/ })
  return {
    running,
    cloud: made.cloud!,
    node: (name) => running.client.get(nodes, name),
    [Symbol.asyncDispose]: () => running.close(),
  }
}

/** Returns a Node with the given fields. */
export function newNode(name: string, more: { readonly metadata?: object; readonly spec?: object; readonly status?: object } = {}): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name, ...more.metadata }, spec: { ...more.spec }, status: { ...more.status } }
}
