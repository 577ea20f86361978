import { isPodAvailable, isPodTerminal } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import { targetNode } from "./daemon-pod.ts"
import { type Eligibility, eligibilityFor } from "./eligibility.ts"
import type { Backoff } from "./failed-pods.ts"
import type { Observed } from "./observe.ts"
import { type History, relabeledPods } from "./revisions.ts"

export interface Creation {
  readonly node: string
  readonly reason: string
}

export interface Removal {
  readonly node: string
  readonly pod: Pod
  readonly reason: string
  /** The pod has ended: an event is recorded, and a failure is remembered. */
  readonly found?: "failed" | "succeeded"
}

/** The pods to create and to delete. */
export interface Work {
  readonly create: readonly Creation[]
  readonly remove: readonly Removal[]
  /** Milliseconds until a failed pod may be deleted. */
  readonly wait?: number
}

export const noWork: Work = { create: [], remove: [] }

/** The input of all decisions of one reconcile. */
export interface SyncState {
  readonly daemonSet: DaemonSet
  readonly nodes: readonly Node[]
  readonly onNodes: PodsOnNodes
  /** Of each node that exists. */
  readonly eligible: ReadonlyMap<string, Eligibility>
  readonly backoffs: ReadonlyMap<string, Backoff>
  /** Of the present template. */
  readonly hash: string
  readonly now: number
}

export function syncState({ daemonSet, nodes, pods, backoffs }: Observed, history: History, now: number): SyncState {
  const check = eligibilityFor(daemonSet)
  const eligible = new Map(nodes.map((node) => [node.metadata.name ?? "", check(node)]))
  return { daemonSet, nodes, onNodes: podsOnNodes(relabeledPods(pods, history)), eligible, backoffs, hash: history.hash, now }
}

export function isAvailable(pod: Pod, { daemonSet, now }: SyncState): boolean {
  return isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now)
}

export type PodsOnNodes = ReadonlyMap<string, readonly Pod[]>

/** Pods by the node they are on or meant for, oldest first. Ended pods that are being deleted are left to the kubelet and pod-gc. */
export function podsOnNodes(pods: readonly Pod[]): PodsOnNodes {
  const counted = pods.filter((pod) => !(isPodTerminal(pod) && isDeleted(pod)))
  const groups = Map.groupBy(counted, (pod) => targetNode(pod) ?? "")
  groups.delete("")
  return new Map([...groups].map(([node, group]) => [node, group.sort(byAge)]))
}

/** Those that have a node come before those that wait for it: so the first is one that runs. */
function byAge(a: Pod, b: Pod): number {
  const assigned = Number(Boolean(b.spec?.nodeName)) - Number(Boolean(a.spec?.nodeName))
  return assigned || compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") || compare(podName(a), podName(b))
}

/** Deleted, whether it still runs or not. */
export function isDeleted(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined
}

function podName({ metadata }: Pod): string {
  return metadata.name ?? ""
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
