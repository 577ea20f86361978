import { scaledIntOrPercent } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { isUpdated } from "./daemon-pod.ts"
import { isAvailable, isDeleted, noWork, type Removal, type SyncState, type Work } from "./sync-state.ts"

/** Brings nodes to the present template, a few at a time. Only when every node has the pods that manage requires. */
export function rollOut(state: SyncState): Work {
  if (!isRolling(state.daemonSet)) return noWork
  const desired = [...state.eligible].filter(([, { runs }]) => runs).map(([node]) => node)
  const limits = rolloutLimits(state.daemonSet, desired.length)
  const nodes = [...new Set([...state.onNodes.keys(), ...desired])].sort()
  const pairs = nodes.map((node) => pairOn(node, state))
  return limits.maxSurge === 0 ? replace(pairs, limits.maxUnavailable, state) : surge(pairs, limits.maxSurge, desired.length, state)
}

/** Deletes old pods; manage makes new ones in their place. Those that are not available are deleted at once. */
function replace(pairs: readonly Pair[], maxUnavailable: number, state: SyncState): Work {
  const missing = pairs.filter((pair) => !isServed(pair, state)).length
  const outdated = pairs.filter(
    (pair): pair is Pair & { old: Pod } => !pair.tooMany && pair.old !== undefined && pair.updated === undefined,
  )
  const broken = outdated.filter(({ old }) => !isAvailable(old, state))
  const serving = outdated.filter(({ old }) => isAvailable(old, state))
  const room = Math.max(0, maxUnavailable - missing)
  const removal = ({ node, old }: Pair & { old: Pod }, reason: string): Removal => ({ node, pod: old, reason })
  return {
    create: [],
    remove: [
      ...broken.map((pair) => removal(pair, "it is of an old template and not available")),
      ...serving
        .slice(0, room)
        .map((pair) => removal(pair, `it is of an old template; ${missing} of ${maxUnavailable} nodes may be without a pod now`)),
    ],
  }
}

/** Reports whether the one pod of the node is available. */
function isServed({ old, updated, tooMany }: Pair, state: SyncState): boolean {
  const only = old === undefined ? updated : updated === undefined ? old : undefined
  return !tooMany && only !== undefined && isAvailable(only, state)
}

/** What a node has of the old and of the present template; `tooMany` when manage still has to clear up there. */
export interface Pair {
  readonly node: string
  readonly old?: Pod
  readonly updated?: Pod
  readonly tooMany: boolean
}

export function pairOn(node: string, { daemonSet, hash, onNodes }: SyncState): Pair {
  const present = (onNodes.get(node) ?? []).filter((pod) => !isDeleted(pod))
  const updated = present.filter((pod) => isUpdated(pod, daemonSet, hash))
  const old = present.filter((pod) => !isUpdated(pod, daemonSet, hash))
  return { node, old: old[0], updated: updated[0], tooMany: old.length > 1 || updated.length > 1 }
}

export interface RolloutLimits {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/**
 * Returns maxSurge and maxUnavailable for that many nodes. Both round up. With neither one pod may be missing: a rollout that may do nothing would
 * never end.
 */
export function rolloutLimits(daemonSet: DaemonSet, nodes: number): RolloutLimits {
  const { maxSurge, maxUnavailable } = limitsIn(daemonSet)
  const surge = scaledIntOrPercent(maxSurge, nodes, "up")
  const unavailable = scaledIntOrPercent(maxUnavailable, nodes, "up")
  return { maxSurge: surge, maxUnavailable: nodes > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** Reports whether a node may have two pods for a while. */
export function allowsSurge(daemonSet: DaemonSet): boolean {
  return rolloutLimits(daemonSet, 1).maxSurge > 0
}

export function isRolling({ spec }: DaemonSet): boolean {
  return spec?.updateStrategy?.type === "RollingUpdate"
}

function limitsIn(daemonSet: DaemonSet) {
  const rolling = isRolling(daemonSet) ? daemonSet.spec?.updateStrategy?.rollingUpdate : undefined
  return { maxSurge: rolling?.maxSurge ?? 0, maxUnavailable: rolling?.maxUnavailable ?? (rolling === undefined ? 0 : 1) }
}

type Outdated = Pair & { readonly old: Pod }

/** Makes new pods beside old ones, and deletes the old ones when the new are available: every node is served all the time. */
function surge(pairs: readonly Pair[], maxSurge: number, desired: number, state: SyncState): Work {
  const settled = pairs.filter((pair): pair is Outdated => !pair.tooMany && pair.old !== undefined)
  const beside = settled.filter(({ updated }) => updated !== undefined)
  const alone = settled.filter(({ updated, node }) => updated === undefined && state.eligible.has(node))
  const surging = pairs.filter(({ tooMany }) => tooMany).length + beside.filter(({ updated }) => !isAvailable(updated!, state)).length
  const room = Math.max(0, maxSurge - surging)
  const runs = ({ node }: Pair) => state.eligible.get(node)?.runs === true
  const serving = ({ old }: Outdated) => isAvailable(old, state)
  const broken = alone.filter((pair) => runs(pair) && !serving(pair))
  const candidates = alone.filter((pair) => runs(pair) && serving(pair)).slice(0, room)
  return {
    create: [
      ...broken.map(({ node }) => ({ node, reason: `the old pod of ${node} is not available` })),
      ...candidates.map(({ node }) => ({ node, reason: `${surging} of ${maxSurge} nodes have a second pod now` })),
    ],
    remove: [
      ...beside
        .filter(({ updated }) => isAvailable(updated!, state))
        .map(({ node, old, updated }) => ({ node, pod: old, reason: `${updated!.metadata.name} is available in its place` })),
      ...removableOldPods(alone, pairs, desired, state),
    ],
  }
}

/** Old pods on nodes that should have none any more: available ones are deleted only when enough others are available. */
function removableOldPods(alone: readonly Outdated[], pairs: readonly Pair[], desired: number, state: SyncState): Work["remove"] {
  const misplaced = alone.filter(({ node }) => state.eligible.get(node)?.runs === false)
  const available = pairs.filter(({ old, updated, tooMany }) => {
    const counted = old ?? updated
    return !tooMany && counted !== undefined && isAvailable(counted, state)
  }).length
  const spare = Math.max(0, available - desired)
  const broken = misplaced.filter(({ old }) => !isAvailable(old, state))
  const serving = misplaced.filter(({ old }) => isAvailable(old, state)).slice(0, spare)
  const reason = "it is of an old template, on a node that should have none"
  return [...broken, ...serving].map(({ node, old }) => ({ node, pod: old, reason }))
}
