import type { Behavior } from "./behavior.ts"
import type { Recommendation } from "./memory.ts"

export interface Stabilized {
  readonly replicas: number
  /** Of the condition AbleToScale, where the replicas are not what was recommended. */
  readonly reason: string
  readonly message: string
}

const down = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
}
const up = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
}

/** Without a behaviour: the highest recommendation of the window, so that a lull of a moment takes nothing away. */
export function stabilize(recommended: number, recent: readonly Recommendation[], window: number, now: number): Stabilized {
  const counted = recent.filter(({ at }) => at >= now - window)
  return { replicas: Math.max(recommended, ...counted.map(({ replicas }) => replicas)), ...down }
}

/** With one: not above the lowest of the window for going up, not below the highest of the window for going down, else as it is. */
export function stabilizeWith(
  behavior: Behavior,
  { recommended, current, now }: { readonly recommended: number; readonly current: number; readonly now: number },
  recent: readonly Recommendation[],
): Stabilized {
  const within = (window: number) => recent.filter(({ at }) => at > now - window).map(({ replicas }) => replicas)
  const lowest = Math.min(recommended, ...within(behavior.up.window))
  const highest = Math.max(recommended, ...within(behavior.down.window))
  return { replicas: Math.min(Math.max(current, lowest), highest), ...(recommended >= current ? up : down) }
}
