import { keyOf } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"
import type { Heartbeat, HeartbeatSources } from "./heartbeats.ts"
import type { Memory } from "./memory.ts"
import { isReady, readyCondition } from "./node-conditions.ts"
import { hasEvictionTaint } from "./taints.ts"
import { isCounted, zoneName } from "./zones.ts"

/** What a reconcile is about. A key is one of these and, after a colon, the node, pod or zone. */
export type Concern = "node" | "pod" | "zone" | "cluster"

/** The concern of a key with what it needs: a node, a node that is gone, a pod, a zone, or the cluster. */
export type Observed =
  /** `pods` are those of a lost node. */
  | (HeartbeatSources & { readonly concern: "node"; readonly pods: readonly Pod[] })
  | { readonly concern: "gone"; readonly name: string; readonly known: Heartbeat }
  | { readonly concern: "pod"; readonly node: Node; readonly pod: Pod }
  /** `lastTry` is when the zone last tainted a node. */
  | {
      readonly concern: "zone"
      readonly zone: string
      readonly nodes: readonly Node[]
      readonly isCutOff: boolean
      readonly lastTry?: number
    }
  /** `tainted` are the nodes with an eviction taint. */
  | { readonly concern: "cluster"; readonly isCutOff: boolean; readonly wasCutOff?: boolean; readonly tainted: readonly Node[] }

export const leaseNamespace = "kube-node-lease"

export const nodesByZone = index(nodes, "zone", (node) => [zoneName(node)])
export const nodesByReadiness = index(nodes, "readiness", (node) => (isCounted(node) ? [isReady(node) ? "ready" : "not-ready"] : []))
/** Under the one value "yes". */
export const nodesWithEvictionTaint = index(nodes, "eviction-taint", (node) => (hasEvictionTaint(node) ? ["yes"] : []))

export function keyFor(concern: Concern, about = ""): string {
  return `${concern}:${about}`
}

/** Reads what a key is about: a node, a pod, a zone, or the cluster. */
export function observe(key: string, read: Reader, memory: Memory): Observed | undefined | Promise<Observed | undefined> {
  const at = key.indexOf(":")
  const about = key.slice(at + 1)
  switch (key.slice(0, at) as Concern) {
    case "node":
      return memory.heartbeats.of(about)?.confirmsLease === true
        ? readNodeWithLiveLease(about, read, memory)
        : readNode(about, read, memory)
    case "pod":
      return readPod(about, read)
    case "zone":
      return {
        concern: "zone",
        zone: about,
        nodes: read.byIndex(nodesByZone, about),
        isCutOff: isCutOff(read),
        lastTry: memory.pace.lastTry(about),
      }
    case "cluster":
      return {
        concern: "cluster",
        isCutOff: isCutOff(read),
        wasCutOff: memory.wasCutOff,
        tainted: read.byIndex(nodesWithEvictionTaint, "yes"),
      }
  }
}

function readNode(name: string, read: Reader, memory: Memory): Observed | undefined {
  const node = read.get(nodes, name)
  const known = memory.heartbeats.of(name)
  if (node !== undefined) return { ...readHeartbeatSources(node, read), known, allSeenAt: memory.heartbeats.allSeenAt }
  return known && { concern: "gone", name, known }
}

/** Reads the Lease from the API server before a node is declared lost: a stalled watch must not evict the pods of all nodes. */
async function readNodeWithLiveLease(name: string, read: Reader, memory: Memory): Promise<Observed | undefined> {
  const lease = await read.live(leases, `${leaseNamespace}/${name}`)
  const found = readNode(name, read, memory)
  return found?.concern === "node" ? { ...found, live: { lease } } : found
}

function readHeartbeatSources(node: Node, read: Reader): Observed & { concern: "node" } {
  const name = node.metadata.name ?? ""
  const isSilent = readyCondition(node)?.status === "Unknown"
  return {
    concern: "node",
    node,
    lease: read.get(leases, `${leaseNamespace}/${name}`),
    pods: isSilent ? read.byIndex(podsByNode, name) : [],
  }
}

function readPod(key: string, read: Reader): Observed | undefined {
  const pod = read.get(pods, key)
  const node = pod?.spec?.nodeName ? read.get(nodes, pod.spec.nodeName) : undefined
  return pod && node && { concern: "pod", pod, node }
}

/** Reports whether no node is ready: it is more likely that this process is cut off than that all nodes failed at once. */
function isCutOff(read: Reader): boolean {
  return read.byIndex(nodesByReadiness, "ready").length === 0 && read.byIndex(nodesByReadiness, "not-ready").length > 0
}

export function podKey(pod: Pod): string {
  return keyFor("pod", keyOf(pod))
}
