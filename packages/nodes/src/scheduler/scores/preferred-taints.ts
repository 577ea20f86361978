import { untoleratedTaint } from "@pilothouse/api"
import { normalised } from "./normalise.ts"
import type { Score } from "./score.ts"

/** Nodes that ask pods to stay away come last, those with most such taints behind the others. */
export const preferredTaints: Score = ({ pod }, fitting) => {
  if (fitting.every(({ taints }) => taints.length === 0)) return undefined
  // Frozen, so that they are indexed once for all taints.
  const tolerations = Object.freeze([...(pod.pod.spec?.tolerations ?? [])])
  const counts = fitting.map(
    ({ taints }) =>
      taints.filter((taint) => taint.effect === "PreferNoSchedule" && untoleratedTaint([taint], tolerations) !== undefined).length,
  )
  return normalised(counts, true)
}
