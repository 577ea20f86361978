import type { DecideContext } from "@pilothouse/runtime"
import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import { defaultProfile, type ScoreName } from "../profiles/profile.ts"
import { balancedAllocation, imageLocality, leastAllocated, preferredNodes, preferredTaints } from "./node-scores.ts"
import { preferredPods } from "./preferred-pods.ts"
import { spreading } from "./spreading.ts"

/** How good each of the nodes is, from 0 to 100; undefined: it has nothing to say of this pod. Pure. */
export type Score = (observed: Observed, fitting: readonly NodeView[]) => readonly number[] | undefined

const scores: Readonly<Record<ScoreName, Score>> = {
  preferredTaints,
  preferredNodes,
  leastAllocated,
  balancedAllocation,
  imageLocality,
  spreading,
  preferredPods,
}

/** The selected node and its score. */
export interface Best {
  readonly node: NodeView
  readonly score: number
}

/** The best of the nodes that fit; drawn by lot where several are. */
export function selectHost(observed: Observed, fitting: readonly NodeView[], random: DecideContext["random"]): Best | undefined {
  const totals = fitting.length > 1 ? totalScores(observed, fitting) : [0]
  let highest = 0
  for (const total of totals) if (total > highest) highest = total
  const best = fitting.filter((_node, at) => totals[at] === highest)
  const node = best.length > 1 ? best[random.int(best.length)] : best[0]
  return node && { node, score: highest }
}

/** Returns the weighted sum of all scores of each node. */
export function totalScores(observed: Observed, fitting: readonly NodeView[]): readonly number[] {
  const totals = fitting.map(() => 0)
  const { weights } = observed.profile ?? defaultProfile
  for (const name of Object.keys(scores) as ScoreName[]) {
    const weight = weights[name]
    const given = weight === 0 ? undefined : scores[name](observed, fitting)
    if (given === undefined) continue
    for (let at = 0; at < totals.length; at++) totals[at] = (totals[at] ?? 0) + weight * (given[at] ?? 0)
  }
  return totals
}
