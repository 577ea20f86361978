import type { Pod } from "@pilothouse/api/core/v1"
import { type Pair, pairOn } from "./pair.ts"
import { isRolling, rolloutLimits } from "./rollout-limits.ts"
import { surge } from "./surge.ts"
import { isAvailable, noWork, type Removal, type Situation, type Work } from "./work.ts"

/** Brings nodes to the present template, a few at a time. Only when every node has what manage wants there. */
export function rollOut(situation: Situation): Work {
  if (!isRolling(situation.daemonSet)) return noWork
  const desired = [...situation.eligible].filter(([, { runs }]) => runs).map(([node]) => node)
  const limits = rolloutLimits(situation.daemonSet, desired.length)
  const nodes = [...new Set([...situation.onNodes.keys(), ...desired])].sort()
  const pairs = nodes.map((node) => pairOn(node, situation))
  return limits.maxSurge === 0 ? replace(pairs, limits.maxUnavailable, situation) : surge(pairs, limits.maxSurge, desired.length, situation)
}

/** Deletes old pods; manage makes new ones in their place. Those that are not available hurt nobody and go at once. */
function replace(pairs: readonly Pair[], maxUnavailable: number, situation: Situation): Work {
  const missing = pairs.filter((pair) => !isServed(pair, situation)).length
  const outdated = pairs.filter(
    (pair): pair is Pair & { old: Pod } => !pair.tooMany && pair.old !== undefined && pair.updated === undefined,
  )
  const broken = outdated.filter(({ old }) => !isAvailable(old, situation))
  const serving = outdated.filter(({ old }) => isAvailable(old, situation))
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

/** Whether the one pod of the node is available. */
function isServed({ old, updated, tooMany }: Pair, situation: Situation): boolean {
  const only = old === undefined ? updated : updated === undefined ? old : undefined
  return !tooMany && only !== undefined && isAvailable(only, situation)
}
