import { keyOf } from "@pilothouse/api"
import { leases } from "@pilothouse/api/coordination/v1"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"
import type { Known, Signs } from "./heartbeats.ts"
import type { Memory } from "./memory.ts"
import { isReady, readyCondition } from "./node-conditions.ts"
import { hasEvictionTaint } from "./taints.ts"
import { isCounted, zoneOf } from "./zones.ts"

/** Why something is looked at. A key is one of these and, after a colon, the node, pod or zone it is about. */
export type Concern = "node" | "pod" | "zone" | "cluster"

export type Observed =
  /** `pods` are those of a node that is not heard of. */
  | (Signs & { readonly concern: "node"; readonly pods: readonly Pod[] })
  | { readonly concern: "gone"; readonly name: string; readonly known: Known }
  | { readonly concern: "pod"; readonly node: Node; readonly pod: Pod }
  /** `lastTry` is when it last gave up a node. */
  | {
      readonly concern: "zone"
      readonly zone: string
      readonly nodes: readonly Node[]
      readonly isCutOff: boolean
      readonly lastTry?: number
    }
  /** `tainted` are the nodes that pods are made to leave. */
  | { readonly concern: "cluster"; readonly isCutOff: boolean; readonly wasCutOff?: boolean; readonly tainted: readonly Node[] }

export const leaseNamespace = "kube-node-lease"

export const nodesByZone = index(nodes, "zone", (node) => [zoneOf(node)])
export const nodesByReadiness = index(nodes, "readiness", (node) => (isCounted(node) ? [isReady(node) ? "ready" : "not-ready"] : []))
/** Under the one value "yes". */
export const evictedNodes = index(nodes, "eviction-taint", (node) => (hasEvictionTaint(node) ? ["yes"] : []))

export function keyFor(concern: Concern, about = ""): string {
  return `${concern}:${about}`
}

export function observe(key: string, read: Reader, memory: Memory): Observed | undefined | Promise<Observed | undefined> {
  const at = key.indexOf(":")
  const about = key.slice(at + 1)
  switch (key.slice(0, at) as Concern) {
    case "node":
      return memory.heard.of(about)?.asking === true ? confirmed(about, read, memory) : nodeWith(about, read, memory)
    case "pod":
      return podOn(about, read)
    case "zone":
      return {
        concern: "zone",
        zone: about,
        nodes: read.byIndex(nodesByZone, about),
        isCutOff: isCutOff(read),
        lastTry: memory.pace.lastTry(about),
      }
    case "cluster":
      return { concern: "cluster", isCutOff: isCutOff(read), wasCutOff: memory.wasCutOff, tainted: read.byIndex(evictedNodes, "yes") }
  }
}

function nodeWith(name: string, read: Reader, memory: Memory): Observed | undefined {
  const node = read.get(nodes, name)
  const known = memory.heard.of(name)
  if (node !== undefined) return { ...signs(node, read), known, allHeardOf: memory.heard.allHeardOf }
  return known && { concern: "gone", name, known }
}

/** A watch that has gone deaf must not cost all nodes their pods: before a node counts as lost the server itself is asked for its Lease. */
async function confirmed(name: string, read: Reader, memory: Memory): Promise<Observed | undefined> {
  const lease = await read.live(leases, `${leaseNamespace}/${name}`)
  const found = nodeWith(name, read, memory)
  return found?.concern === "node" ? { ...found, live: { lease } } : found
}

function signs(node: Node, read: Reader): Observed & { concern: "node" } {
  const name = node.metadata.name ?? ""
  const isSilent = readyCondition(node)?.status === "Unknown"
  return {
    concern: "node",
    node,
    lease: read.get(leases, `${leaseNamespace}/${name}`),
    pods: isSilent ? read.byIndex(podsByNode, name) : [],
  }
}

function podOn(key: string, read: Reader): Observed | undefined {
  const pod = read.get(pods, key)
  const node = pod?.spec?.nodeName ? read.get(nodes, pod.spec.nodeName) : undefined
  return pod && node && { concern: "pod", pod, node }
}

/** Not one node is ready: more likely that nobody hears them here than that all have failed at once. */
function isCutOff(read: Reader): boolean {
  return read.byIndex(nodesByReadiness, "ready").length === 0 && read.byIndex(nodesByReadiness, "not-ready").length > 0
}

export function podKey(pod: Pod): string {
  return keyFor("pod", keyOf(pod))
}
