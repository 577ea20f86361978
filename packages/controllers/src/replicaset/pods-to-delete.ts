import { findCondition, isPodActive, isPodReady, isSidecar, parseTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"

const deletionCost = "controller.kubernetes.io/pod-deletion-cost"
const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * Returns the pods to delete, least valuable first: upstream's getPodsToDelete and its ActivePodsWithRanks.
 * `related` are the pods of the owner and its siblings: where many of them share a node, one of those is deleted first, so that the rest stays spread.
 */
export function podsToDelete(pods: readonly Pod[], related: readonly Pod[], count: number, now: number): readonly Pod[] {
  if (count >= pods.length) return pods
  const podsPerNode = countPodsPerNode(related)
  const compare = (a: Pod, b: Pod) => firstDifference(a, b, { crowds: podsPerNode, now })
  return [...pods].sort(compare).slice(0, count)
}

interface RankingContext {
  /** The number of related pods by node. */
  readonly crowds: ReadonlyMap<string, number>
  readonly now: number
}

type Comparison = (a: Pod, b: Pod, circumstances: RankingContext) => number

/** Negative: the first of the two is deleted first. In this order; the first difference decides. */
const comparisons: readonly Comparison[] = [
  (a, b) => Number(isAssigned(a)) - Number(isAssigned(b)),
  (a, b) => rankOfPhase(a) - rankOfPhase(b),
  (a, b) => Number(isPodReady(a)) - Number(isPodReady(b)),
  (a, b) => podDeletionCost(a) - podDeletionCost(b),
  (a, b, { crowds }) => podsOnSameNode(b, crowds) - podsOnSameNode(a, crowds),
  (a, b, { now }) => (isPodReady(a) && isPodReady(b) ? youngerFirst(a, b, readySince, now) : 0),
  (a, b) => maxRestarts(b) - maxRestarts(a),
  (a, b) => maxSidecarRestarts(b) - maxSidecarRestarts(a),
  (a, b, { now }) => youngerFirst(a, b, createdAt, now),
]

function firstDifference(a: Pod, b: Pod, circumstances: RankingContext): number {
  for (const compare of comparisons) {
    const difference = compare(a, b, circumstances)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Compares ages by their powers of two: of pods that are 5 and 6 days old either may be deleted, chosen by UID, which is as good as random.
 * Otherwise repeated scaling would always hit the same, newest, node.
 */
function youngerFirst(a: Pod, b: Pod, since: (pod: Pod) => number | undefined, now: number): number {
  const [first, second] = [since(a), since(b)]
  if (first === second) return 0
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1
  return magnitude(now - first) - magnitude(now - second) || ((a.metadata.uid ?? "") < (b.metadata.uid ?? "") ? -1 : 1)
}

/** Upstream counts nanoseconds: 2³⁰ of them are about a second. */
function magnitude(milliseconds: number): number {
  return milliseconds > 0 ? Math.trunc(Math.log2(milliseconds * 1e6)) : -1
}

function countPodsPerNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const pod of pods.filter(isPodActive)) counts.set(nodeName(pod), (counts.get(nodeName(pod)) ?? 0) + 1)
  return counts
}

function podsOnSameNode(pod: Pod, crowds: ReadonlyMap<string, number>): number {
  return crowds.get(nodeName(pod)) ?? 0
}

function nodeName({ spec }: Pod): string {
  return spec?.nodeName ?? ""
}

function isAssigned(pod: Pod): boolean {
  return nodeName(pod) !== ""
}

function rankOfPhase({ status }: Pod): number {
  return phaseRank[status?.phase ?? ""] ?? 0
}

/** Returns 0 for a value that is not a 32-bit number or not in canonical form ("+5", "007"). */
function podDeletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCost] ?? ""
  const cost = /^(0|-\d+|[1-9]\d*)$/.test(text) ? Number(text) : 0
  return Math.abs(cost) < 2 ** 31 ? cost : 0
}

function maxRestarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map((container) => container.restartCount))
}

function maxSidecarRestarts({ spec, status }: Pod): number {
  const sidecars = new Set((spec?.initContainers ?? []).filter(isSidecar).map((container) => container.name))
  const statuses = (status?.initContainerStatuses ?? []).filter((container) => sidecars.has(container.name))
  return Math.max(0, ...statuses.map((container) => container.restartCount))
}

function readySince({ status }: Pod): number | undefined {
  return timeOf(findCondition(status?.conditions, "Ready")?.lastTransitionTime)
}

function createdAt({ metadata }: Pod): number | undefined {
  return timeOf(metadata.creationTimestamp)
}

function timeOf(text: string | null | undefined): number | undefined {
  return text ? parseTime(text) : undefined
}
