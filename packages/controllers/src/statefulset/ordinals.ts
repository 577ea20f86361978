import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"

export function wantedReplicas({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1
}

/** The lowest number; the pods count up from there. */
export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0
}

/** One past the highest number. A name that ends in a larger number than int32 holds is not read back as an ordinal, so no pod is made there. */
export function endOrdinal(set: StatefulSet): number {
  return Math.min(firstOrdinal(set) + wantedReplicas(set), 2 ** 31)
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`
}

export function claimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`
}

/** The number at the end of a name, written as we write it; undefined where there is none ("web", "web-01"). */
export function ordinalIn(name: string): number | undefined {
  const digits = /-(0|[1-9]\d*)$/.exec(name)?.[1]
  return digits === undefined || Number(digits) >= 2 ** 31 ? undefined : Number(digits)
}

export function ordinalOf({ metadata }: Pod): number {
  return ordinalIn(metadata.name ?? "") ?? -1
}

/** By name: whatever has our labels and another name can never be one of the pods. */
export function isMember(set: StatefulSet, pod: Pod): boolean {
  return pod.metadata.name === podName(set, ordinalOf(pod))
}

/** The pods of an ordered set follow one another; those of a parallel set come and go at once. */
export function isOrdered({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy !== "Parallel"
}

/** Pods that one reconcile of a parallel set creates, as many as that of a ReplicaSet. Their events start the next reconcile. */
const burst = 500

/** Claim templates up to which a burst is as large: 10,000 claims. */
const usualTemplates = 20

/**
 * Pods that one reconcile creates at most. The number of replicas is the user's and may be 2^31-1: nothing is allocated or walked by it.
 * With more than 20 claim templates the pods of a parallel set that are pending have at most 10,000 claims, or are one: 2,000 templates come
 * five pods at a time, and the next when one of these has started. 500 pods of 9,000 templates would be 4.5 million claims of one small object.
 */
export function mostCreates(set: StatefulSet, pods: readonly Pod[]): number {
  if (isOrdered(set)) return 1
  const templates = set.spec?.volumeClaimTemplates?.length ?? 0
  if (templates <= usualTemplates) return burst
  const pending = pods.filter(({ status }) => (status?.phase ?? "Pending") === "Pending").length
  const atOnce = Math.max(1, Math.floor((burst * usualTemplates) / templates))
  return Math.max(0, atOnce - pending)
}

/** A place in the numbering. */
export interface Replica {
  readonly ordinal: number
  readonly name: string
  /** Undefined: it has to be made. */
  readonly pod?: Pod
}

/**
 * The places of a set in order: all that have a pod, and those without one until `isFull`.
 * The pods are in range and ascending.
 */
export function* replicasOf(set: StatefulSet, pods: readonly Pod[], isFull: () => boolean): Generator<Replica, void> {
  let ordinal = firstOrdinal(set)
  for (const pod of [...pods, undefined]) {
    const next = pod === undefined ? endOrdinal(set) : ordinalOf(pod)
    for (; ordinal < next && !isFull(); ordinal++) yield { ordinal, name: podName(set, ordinal) }
    if (pod !== undefined) yield { ordinal: next, name: podName(set, next), pod }
    ordinal = next + 1
  }
}

/** The pods that stay, in ascending order. */
export function inRange(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => isInRange(set, ordinalOf(pod))).toSorted((a, b) => ordinalOf(a) - ordinalOf(b))
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + wantedReplicas(set)
}
