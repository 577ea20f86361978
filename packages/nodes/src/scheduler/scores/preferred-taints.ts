import { tolerates } from "@pilothouse/api"
import { normalised } from "./normalise.ts"
import type { Score } from "./score.ts"

/** Nodes that ask pods to stay away come last, those with most such taints behind the others. */
export const preferredTaints: Score = ({ pod }, fitting) => {
  if (fitting.every(({ taints }) => taints.length === 0)) return undefined
  const tolerations = pod.pod.spec?.tolerations ?? []
  const counts = fitting.map(
    ({ taints }) =>
      taints.filter((taint) => taint.effect === "PreferNoSchedule" && !tolerations.some((toleration) => tolerates(toleration, taint)))
        .length,
  )
  return normalised(counts, true)
}
