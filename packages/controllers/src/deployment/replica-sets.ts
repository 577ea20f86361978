import { deepEqual } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { PodTemplateSpec } from "@pilothouse/api/core/v1"

export const hashLabel = "pod-template-hash"

/** A Deployment's ReplicaSets: the one of its present template, and the others, oldest first. */
export interface ReplicaSets {
  readonly current?: ReplicaSet
  readonly old: readonly ReplicaSet[]
}

/** The current one is the oldest whose template is the Deployment's: equality decides, not the hash in the name. */
export function splitReplicaSets(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSets {
  const sorted = [...replicaSets].sort(oldestFirst)
  const current = sorted.find((set) => hasSameTemplate(set, deployment))
  return { current, old: sorted.filter((set) => set !== current) }
}

export function hasSameTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  return deepEqual(withoutHash(set.spec?.template), withoutHash(deployment.spec?.template))
}

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  if (template?.metadata?.labels?.[hashLabel] === undefined) return template
  const { [hashLabel]: _hash, ...labels } = template.metadata.labels
  return { ...template, metadata: { ...template.metadata, labels } }
}

export function oldestFirst(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""]
  return first === second ? compare(a.metadata.name ?? "", b.metadata.name ?? "") : compare(first, second)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function allReplicaSets({ current, old }: ReplicaSets): readonly ReplicaSet[] {
  return current === undefined ? old : [...old, current]
}

export function activeReplicaSets(sets: readonly ReplicaSet[]): readonly ReplicaSet[] {
  return sets.filter((set) => specReplicas(set) > 0)
}

export function specReplicas(set: ReplicaSet): number {
  return set.spec?.replicas ?? 1
}

export function totalSpecReplicas(sets: readonly ReplicaSet[]): number {
  return sum(sets, specReplicas)
}

/** A status that is behind a shrinking may still count pods that are going: those beyond the size do not count as available. */
export function availableIn(set: ReplicaSet): number {
  return Math.min(set.status?.availableReplicas ?? 0, specReplicas(set))
}

export function totalStatusReplicas(sets: readonly ReplicaSet[], field: "replicas" | "readyReplicas" | "availableReplicas"): number {
  return sum(sets, (set) => set.status?.[field] ?? 0)
}

export function sum(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((total, set) => total + count(set), 0)
}
