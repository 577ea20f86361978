import { findCondition, isPodActive, isPodReady, isSidecar, parseTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"

const deletionCost = "controller.kubernetes.io/pod-deletion-cost"
const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/**
 * The pods whose loss hurts least.
 * `related` are the pods of the owner and its siblings: where many of them share a node, one of those goes first, so that the rest stays spread.
 */
export function chooseVictims(pods: readonly Pod[], related: readonly Pod[], count: number, now: number): readonly Pod[] {
  if (count >= pods.length) return pods
  const crowds = podsByNode(related)
  const compare = (a: Pod, b: Pod) => firstDifference(a, b, { crowds, now })
  return [...pods].sort(compare).slice(0, count)
}

interface Circumstances {
  /** How many related pods each node has. */
  readonly crowds: ReadonlyMap<string, number>
  readonly now: number
}

type Comparison = (a: Pod, b: Pod, circumstances: Circumstances) => number

/** Negative: the first of the two goes first. In this order; the first difference decides. */
const comparisons: readonly Comparison[] = [
  (a, b) => Number(isAssigned(a)) - Number(isAssigned(b)),
  (a, b) => rankOfPhase(a) - rankOfPhase(b),
  (a, b) => Number(isPodReady(a)) - Number(isPodReady(b)),
  (a, b) => costOf(a) - costOf(b),
  (a, b, { crowds }) => crowdOf(b, crowds) - crowdOf(a, crowds),
  (a, b, { now }) => (isPodReady(a) && isPodReady(b) ? youngerFirst(a, b, readySince, now) : 0),
  (a, b) => restartsOf(b) - restartsOf(a),
  (a, b) => sidecarRestartsOf(b) - sidecarRestartsOf(a),
  (a, b, { now }) => youngerFirst(a, b, createdAt, now),
]

function firstDifference(a: Pod, b: Pod, circumstances: Circumstances): number {
  for (const compare of comparisons) {
    const difference = compare(a, b, circumstances)
    if (difference !== 0) return difference
  }
  return 0
}

/**
 * Ages are compared by their powers of two: of pods that are 5 and 6 days old either may go, chosen by uid, which is as good as by lot.
 * Else scaling up and down again and again would always hit the same, newest, node.
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

function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const pod of pods.filter(isPodActive)) counts.set(nodeOf(pod), (counts.get(nodeOf(pod)) ?? 0) + 1)
  return counts
}

function crowdOf(pod: Pod, crowds: ReadonlyMap<string, number>): number {
  return crowds.get(nodeOf(pod)) ?? 0
}

function nodeOf({ spec }: Pod): string {
  return spec?.nodeName ?? ""
}

function isAssigned(pod: Pod): boolean {
  return nodeOf(pod) !== ""
}

function rankOfPhase({ status }: Pod): number {
  return phaseRank[status?.phase ?? ""] ?? 0
}

/** 0 for what is no 32-bit number, or is written in an odd way ("+5", "007"). */
function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCost] ?? ""
  const cost = /^(0|-\d+|[1-9]\d*)$/.test(text) ? Number(text) : 0
  return Math.abs(cost) < 2 ** 31 ? cost : 0
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map((container) => container.restartCount))
}

function sidecarRestartsOf({ spec, status }: Pod): number {
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
