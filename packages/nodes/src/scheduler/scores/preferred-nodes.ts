import { preferredNodeScore } from "@pilothouse/api"
import { normalised } from "./normalise.ts"
import type { Score } from "./score.ts"

export const preferredNodes: Score = ({ pod }, fitting) => {
  const preferences = pod.pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  if (preferences.length === 0) return undefined
  return normalised(fitting.map(({ node }) => preferredNodeScore(preferences, node)))
}
