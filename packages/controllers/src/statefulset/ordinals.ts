import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"

export function desiredReplicas({ spec }: StatefulSet): number {
  return spec?.replicas ?? 1
}

/** Returns the lowest ordinal. */
export function firstOrdinal({ spec }: StatefulSet): number {
  return spec?.ordinals?.start ?? 0
}

/** Returns one past the highest ordinal. A number beyond int32 is not parsed as an ordinal, so no pod is created there. */
export function endOrdinal(set: StatefulSet): number {
  return Math.min(firstOrdinal(set) + desiredReplicas(set), 2 ** 31)
}

export function podName({ metadata }: StatefulSet, ordinal: number): string {
  return `${metadata.name}-${ordinal}`
}

export function claimName({ metadata }: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`
}

/** Returns the ordinal at the end of a name; undefined without one in canonical form ("web", "web-01"). */
export function ordinalIn(name: string): number | undefined {
  const digits = /-(0|[1-9]\d*)$/.exec(name)?.[1]
  return digits === undefined || Number(digits) >= 2 ** 31 ? undefined : Number(digits)
}

export function podOrdinal({ metadata }: Pod): number {
  return ordinalIn(metadata.name ?? "") ?? -1
}

/** Reports whether the pod has a name of the set: a pod with matching labels and another name can never be a member. */
export function isMember(set: StatefulSet, pod: Pod): boolean {
  return pod.metadata.name === podName(set, podOrdinal(pod))
}

/** The pods of an ordered set follow one another; those of a parallel set come and go at once. */
export function isOrdered({ spec }: StatefulSet): boolean {
  return spec?.podManagementPolicy !== "Parallel"
}

/** Pods that one reconcile of a parallel set creates, as many as that of a ReplicaSet. Their events start the next reconcile. */
const burst = 500

/** Claim templates up to which the burst is not reduced: 10,000 claims. */
const maxTemplatesOfBurst = 20

/**
 * Returns the most pods that one reconcile creates. The replica count is user input up to 2^31-1: nothing is allocated or walked by it.
 * With more than 20 claim templates the pods of a parallel set that are pending have at most 10,000 claims, or are one: 2,000 templates come
 * five pods at a time, and the next when one of these has started. 500 pods of 9,000 templates would be 4.5 million claims of one small object.
 */
export function maxCreates(set: StatefulSet, pods: readonly Pod[]): number {
  if (isOrdered(set)) return 1
  const templates = set.spec?.volumeClaimTemplates?.length ?? 0
  if (templates <= maxTemplatesOfBurst) return burst
  const pending = pods.filter(({ status }) => (status?.phase ?? "Pending") === "Pending").length
  const atOnce = Math.max(1, Math.floor((burst * maxTemplatesOfBurst) / templates))
  return Math.max(0, atOnce - pending)
}

/** One ordinal of the set. */
export interface Replica {
  readonly ordinal: number
  readonly name: string
  /** Undefined when it has to be created. */
  readonly pod?: Pod
}

/**
 * Yields the ordinals of a set in order: all that have a pod, and those without one until `isFull`.
 * The pods are in range and ascending.
 */
export function* replicaSlots(set: StatefulSet, pods: readonly Pod[], isFull: () => boolean): Generator<Replica, void> {
  let ordinal = firstOrdinal(set)
  for (const pod of [...pods, undefined]) {
    const next = pod === undefined ? endOrdinal(set) : podOrdinal(pod)
    for (; ordinal < next && !isFull(); ordinal++) yield { ordinal, name: podName(set, ordinal) }
    if (pod !== undefined) yield { ordinal: next, name: podName(set, next), pod }
    ordinal = next + 1
  }
}

/** Returns the pods in range, in ascending order. */
export function inRange(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter((pod) => isInRange(set, podOrdinal(pod))).toSorted((a, b) => podOrdinal(a) - podOrdinal(b))
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= firstOrdinal(set) && ordinal < firstOrdinal(set) + desiredReplicas(set)
}
