import type { Pod } from "@pilothouse/api/core/v1"
import type { Pair } from "./pair.ts"
import { isAvailable, type Situation, type Work } from "./work.ts"

type Outdated = Pair & { readonly old: Pod }

/** Makes new pods beside old ones, and deletes the old ones when the new are available: every node is served all the time. */
export function surge(pairs: readonly Pair[], maxSurge: number, desired: number, situation: Situation): Work {
  const settled = pairs.filter((pair): pair is Outdated => !pair.tooMany && pair.old !== undefined)
  const beside = settled.filter(({ updated }) => updated !== undefined)
  const alone = settled.filter(({ updated, node }) => updated === undefined && situation.eligible.has(node))
  const surging = pairs.filter(({ tooMany }) => tooMany).length + beside.filter(({ updated }) => !isAvailable(updated!, situation)).length
  const room = Math.max(0, maxSurge - surging)
  const runs = ({ node }: Pair) => situation.eligible.get(node)?.runs === true
  const serving = ({ old }: Outdated) => isAvailable(old, situation)
  const broken = alone.filter((pair) => runs(pair) && !serving(pair))
  const candidates = alone.filter((pair) => runs(pair) && serving(pair)).slice(0, room)
  return {
    create: [
      ...broken.map(({ node }) => ({ node, reason: `the old pod of ${node} is not available` })),
      ...candidates.map(({ node }) => ({ node, reason: `${surging} of ${maxSurge} nodes have a second pod now` })),
    ],
    remove: [
      ...beside
        .filter(({ updated }) => isAvailable(updated!, situation))
        .map(({ node, old, updated }) => ({ node, pod: old, reason: `${updated!.metadata.name} is available in its place` })),
      ...leaving(alone, pairs, desired, situation),
    ],
  }
}

/** Old pods on nodes that should have none any more: those that serve go only when enough others do. */
function leaving(alone: readonly Outdated[], pairs: readonly Pair[], desired: number, situation: Situation): Work["remove"] {
  const misplaced = alone.filter(({ node }) => situation.eligible.get(node)?.runs === false)
  const available = pairs.filter(({ old, updated, tooMany }) => {
    const counted = old ?? updated
    return !tooMany && counted !== undefined && isAvailable(counted, situation)
  }).length
  const spare = Math.max(0, available - desired)
  const broken = misplaced.filter(({ old }) => !isAvailable(old, situation))
  const serving = misplaced.filter(({ old }) => isAvailable(old, situation)).slice(0, spare)
  const reason = "it is of an old template, on a node that should have none"
  return [...broken, ...serving].map(({ node, old }) => ({ node, pod: old, reason }))
}
