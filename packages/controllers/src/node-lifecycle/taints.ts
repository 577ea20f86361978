import { deepEqual, formatTime, isSameTaint } from "@pilothouse/api"
import type { Node, Taint } from "@pilothouse/api/core/v1"
import { readyCondition } from "./node-conditions.ts"

type Taints = readonly Taint[]

const prefix = "node.kubernetes.io/"
const unschedulable: Taint = { key: `${prefix}unschedulable`, effect: "NoSchedule" }

/** Each condition, in the status that is bad, and its taint. */
const taintOfCondition: Readonly<Record<string, string>> = {
  "Ready False": "not-ready",
  "Ready Unknown": "unreachable",
  "MemoryPressure True": "memory-pressure",
  "DiskPressure True": "disk-pressure",
  "PIDPressure True": "pid-pressure",
  "NetworkUnavailable True": "network-unavailable",
}

const noScheduleKeys: ReadonlySet<string> = new Set([
  unschedulable.key,
  ...Object.values(taintOfCondition).map((name) => `${prefix}${name}`),
])

const notReady: Taint = { key: `${prefix}not-ready`, effect: "NoExecute" }
const unreachable: Taint = { key: `${prefix}unreachable`, effect: "NoExecute" }

const none: readonly Taint[] = []

/** Always the same list of the same node, so that "unchanged" can be told by it. */
export function taintsOf({ spec }: Node): Taints {
  return spec?.taints ?? none
}

/** The taint that makes pods leave a node in this state; none for one that is ready or has never spoken. */
export function evictionTaint(node: Node): Taint | undefined {
  const status = readyCondition(node)?.status
  if (status === "False") return notReady
  return status === "Unknown" ? unreachable : undefined
}

/** Whether pods are already made to leave the node because it is not ready or not heard of. */
export function hasEvictionTaint(node: Node): boolean {
  return taintsOf(node).some(isEvictionTaint)
}

export function withoutEvictionTaints(node: Node): Taints {
  return taintsOf(node).filter((taint) => !isEvictionTaint(taint))
}

/** With the taint of its state in the place of the other one. */
export function withEvictionTaint(node: Node, now: number): Taints {
  const wanted = evictionTaint(node)
  return wanted === undefined ? withoutEvictionTaints(node) : changed(node, [wanted], isEvictionTaint, now)
}

/**
 * As the conditions want them: nothing new is scheduled on a node in a bad state, and what makes pods leave follows a node that is tainted so
 * already. A node that is not yet waits for its zone's turn.
 */
export function conditionTaints(node: Node, now: number): Taints {
  const wanted = (node.status?.conditions ?? []).flatMap(({ type, status }): Taint[] => {
    const name = taintOfCondition[`${type} ${status}`]
    return name === undefined ? [] : [{ key: `${prefix}${name}`, effect: "NoSchedule" }]
  })
  if (node.spec?.unschedulable) wanted.push(unschedulable)
  const scheduled = changed(node, wanted, ({ key, effect }) => effect === "NoSchedule" && noScheduleKeys.has(key), now)
  const next: Node = { ...node, spec: { ...node.spec, taints: scheduled } }
  if (!hasEvictionTaint(node) || readyCondition(node) === undefined) return scheduled
  return withEvictionTaint(next, now)
}

/** Takes away those of the kind that are not wanted and adds what is missing; the very same list when that changes nothing. */
function changed(node: Node, wanted: Taints, isOurs: (taint: Taint) => boolean, now: number): Taints {
  const before = taintsOf(node)
  const kept = before.filter((taint) => !isOurs(taint) || wanted.some((one) => isSameTaint(one, taint)))
  const added = wanted.filter((one) => !kept.some((taint) => isSameTaint(one, taint)))
  const next = [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))]
  return deepEqual(before, next) ? before : next
}

function isEvictionTaint(taint: Taint): boolean {
  return isSameTaint(taint, notReady) || isSameTaint(taint, unreachable)
}
