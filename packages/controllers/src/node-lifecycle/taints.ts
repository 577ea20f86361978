import { deepEqual, formatTime, isSameTaint } from "@pilothouse/api"
import type { Node, Taint } from "@pilothouse/api/core/v1"
import { readyCondition } from "./node-conditions.ts"

type Taints = readonly Taint[]

const prefix = "node.kubernetes.io/"
const unschedulable: Taint = { key: `${prefix}unschedulable`, effect: "NoSchedule" }

/** The taint of each condition in its bad status. */
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

/** Returns the same list for the same node, so that identity means "unchanged". */
export function nodeTaints({ spec }: Node): Taints {
  return spec?.taints ?? none
}

/** Returns the NoExecute taint for the node's state; undefined when it is ready or has no status yet. */
export function evictionTaint(node: Node): Taint | undefined {
  const status = readyCondition(node)?.status
  if (status === "False") return notReady
  return status === "Unknown" ? unreachable : undefined
}

/** Reports whether the node has a NoExecute taint because it is not ready or unreachable. */
export function hasEvictionTaint(node: Node): boolean {
  return nodeTaints(node).some(isEvictionTaint)
}

export function withoutEvictionTaints(node: Node): Taints {
  return nodeTaints(node).filter((taint) => !isEvictionTaint(taint))
}

/** Returns the taints with the eviction taint of the node's state in place of the other one. */
export function withEvictionTaint(node: Node, now: number): Taints {
  const wanted = evictionTaint(node)
  return wanted === undefined ? withoutEvictionTaints(node) : replaceTaints(node, [wanted], isEvictionTaint, now)
}

/**
 * Returns the taints that follow from the conditions: NoSchedule for each bad condition, and the matching NoExecute taint on a node that has one
 * already. A node without one waits for its zone's turn.
 */
export function conditionTaints(node: Node, now: number): Taints {
  const wanted = (node.status?.conditions ?? []).flatMap(({ type, status }): Taint[] => {
    const name = taintOfCondition[`${type} ${status}`]
    return name === undefined ? [] : [{ key: `${prefix}${name}`, effect: "NoSchedule" }]
  })
  if (node.spec?.unschedulable) wanted.push(unschedulable)
  const scheduled = replaceTaints(node, wanted, ({ key, effect }) => effect === "NoSchedule" && noScheduleKeys.has(key), now)
  const next: Node = { ...node, spec: { ...node.spec, taints: scheduled } }
  if (!hasEvictionTaint(node) || readyCondition(node) === undefined) return scheduled
  return withEvictionTaint(next, now)
}

/** Removes owned taints that are not desired and adds missing ones; returns the same list when nothing changes. */
function replaceTaints(node: Node, wanted: Taints, isOurs: (taint: Taint) => boolean, now: number): Taints {
  const before = nodeTaints(node)
  const kept = before.filter((taint) => !isOurs(taint) || wanted.some((one) => isSameTaint(one, taint)))
  const added = wanted.filter((one) => !kept.some((taint) => isSameTaint(one, taint)))
  const next = [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))]
  return deepEqual(before, next) ? before : next
}

function isEvictionTaint(taint: Taint): boolean {
  return isSameTaint(taint, notReady) || isSameTaint(taint, unreachable)
}
