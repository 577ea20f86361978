import type { Lease } from "@pilothouse/api/coordination/v1"
import type { Node, Pod, Taint } from "@pilothouse/api/core/v1"

/** Five to nine in the morning; minutes count from here. */
export const start = Date.UTC(2026, 0, 5, 8, 55)
export const minutes = (count: number): number => start + count * 60_000
const text = (time: number): string => new Date(time).toISOString().replace(".000Z", "Z")

export interface NodeFacts {
  readonly name?: string
  /** What Ready says; left out: its kubelet has never spoken. */
  readonly ready?: "True" | "False" | "Unknown"
  /** When that was last said, and since when it is so. */
  readonly received?: number
  readonly since?: number
  readonly conditions?: NonNullable<Node["status"]>["conditions"]
  readonly taints?: readonly Taint[]
  readonly labels?: Record<string, string>
  readonly unschedulable?: boolean
  readonly uid?: string
}

export function node({
  name = "a",
  ready,
  received = start,
  since = start,
  conditions = [],
  taints,
  labels,
  unschedulable,
  uid,
}: NodeFacts = {}): Node {
  const said = ready && { type: "Ready", status: ready, lastHeartbeatTime: text(received), lastTransitionTime: text(since) }
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: uid ?? `u-${name}`, resourceVersion: "5", creationTimestamp: text(start), labels },
    spec: { taints, unschedulable },
    status: { conditions: [...(said ? [said] : []), ...conditions] },
  }
}

export function lease(renewed: number, name = "a"): Lease {
  const renewTime = new Date(renewed).toISOString().replace("Z", "000Z")
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name, namespace: "kube-node-lease" }, spec: { renewTime } }
}

export function pod(name: string, ready: "True" | "False" | undefined, since = start): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `u-${name}` },
    spec: { containers: [], nodeName: "a" },
    status: { phase: "Running", conditions: ready && [{ type: "Ready", status: ready, lastTransitionTime: text(since) }] },
  }
}

export function taint(name: string, effect: Taint["effect"] = "NoSchedule"): Taint {
  return { key: name.includes("/") ? name : `node.kubernetes.io/${name}`, effect }
}
