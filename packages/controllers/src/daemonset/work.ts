import { isPodAvailable } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import { type Eligibility, eligibilityFor } from "./eligibility.ts"
import type { Backoff } from "./failed-pods.ts"
import type { Observed } from "./observe.ts"
import { type PodsOnNodes, podsOnNodes } from "./pods-on-nodes.ts"
import { type History, relabelled } from "./revisions.ts"

export interface Creation {
  readonly node: string
  readonly reason: string
}

export interface Removal {
  readonly node: string
  readonly pod: Pod
  readonly reason: string
  /** It has ended: people are told, and a failure is remembered. */
  readonly found?: "failed" | "succeeded"
}

/** What should be made and what should go. */
export interface Work {
  readonly create: readonly Creation[]
  readonly remove: readonly Removal[]
  /** Milliseconds until a failed pod may be deleted. */
  readonly wait?: number
}

export const noWork: Work = { create: [], remove: [] }

/** What all decisions of one look go by. */
export interface Situation {
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

export function situationOf({ daemonSet, nodes, pods, backoffs }: Observed, history: History, now: number): Situation {
  const check = eligibilityFor(daemonSet)
  const eligible = new Map(nodes.map((node) => [node.metadata.name ?? "", check(node)]))
  return { daemonSet, nodes, onNodes: podsOnNodes(relabelled(pods, history)), eligible, backoffs, hash: history.hash, now }
}

export function isAvailable(pod: Pod, { daemonSet, now }: Situation): boolean {
  return isPodAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, now)
}
