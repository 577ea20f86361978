import { placementOn } from "../volumes/volume-placement.ts"
import type { Filter } from "./filter.ts"
import { forGood } from "./refuse.ts"

export const volumeBinding: Filter = ({ volumes }) => {
  if (volumes.claims.length === 0) return undefined
  return ({ node }) => {
    const { reasons } = placementOn(node, volumes)
    return reasons.length === 0 ? undefined : forGood(...reasons)
  }
}
