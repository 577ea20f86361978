import type { Filter } from "./filter.ts"
import { forGood } from "./refuse.ts"

const refusal = forGood("node(s) didn't match the requested node name")

export const nodeName: Filter = ({ pod }) => {
  const wanted = pod.pod.spec?.nodeName
  return wanted ? ({ name }) => (name === wanted ? undefined : refusal) : undefined
}
