import type { Behavior, Rules } from "./behavior.ts"
import type { Remembered, Rescale } from "./memory.ts"

export interface Limited {
  readonly replicas: number
  /** Of the condition ScalingLimited. */
  readonly reason: string
  readonly message: string
}

export interface Bounds {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
}

const tooMany = { reason: "TooManyReplicas", message: "the desired replica count is more than the maximum replica count" }
const tooFew = { reason: "TooFewReplicas", message: "the desired replica count is less than the minimum replica count" }
const tooFastUp = { reason: "ScaleUpLimit", message: "the desired replica count is increasing faster than the maximum scale rate" }
const tooFastDown = { reason: "ScaleDownLimit", message: "the desired replica count is decreasing faster than the maximum scale rate" }
const inRange = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" }

/** Without a behaviour: within min and max, and never more than twice as many at once (4 where there is 1). */
export function limit({ current, desired, min, max }: Bounds): Limited {
  const fastest = Math.max(2 * current, 4)
  if (desired < min) return { replicas: min, ...tooFew }
  if (desired > Math.min(max, fastest)) return max > fastest ? { replicas: fastest, ...tooFastUp } : { replicas: max, ...tooMany }
  return { replicas: desired, ...inRange }
}

/** With one: as fast as its policies let it. */
export function limitWith(behavior: Behavior, { current, desired, min, max }: Bounds, past: Remembered, now: number): Limited {
  if (desired > current) {
    const fastest = Math.max(current, highestSize(behavior.up, current, past, now))
    if (desired > Math.min(max, fastest)) return max > fastest ? { replicas: fastest, ...tooFastUp } : { replicas: max, ...tooMany }
  }
  if (desired < current) {
    const fastest = Math.min(current, lowestSize(behavior.down, current, past, now))
    if (desired < Math.max(min, fastest)) return min < fastest ? { replicas: fastest, ...tooFastDown } : { replicas: min, ...tooFew }
  }
  return { replicas: desired, ...inRange }
}

/** The size that the policies for going up let it come to. A share is rounded up: else 10 % of 3 would never add one. */
export function highestSize({ policies, selectPolicy }: Rules, current: number, past: Remembered, now: number): number {
  if (selectPolicy === "Disabled") return current
  const sizes = policies.map(({ type, value, periodSeconds }) => {
    const start = sizeAtStart(current, past, periodSeconds, now)
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100))
  })
  return selectPolicy === "Min" ? Math.min(...sizes) : Math.max(...sizes)
}

/** The size that the policies for going down let it come to. */
export function lowestSize({ policies, selectPolicy }: Rules, current: number, past: Remembered, now: number): number {
  if (selectPolicy === "Disabled") return current
  const sizes = policies.map(({ type, value, periodSeconds }) => {
    const start = sizeAtStart(current, past, periodSeconds, now)
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100))
  })
  return selectPolicy === "Min" ? Math.max(...sizes) : Math.min(...sizes)
}

/** How many there were when the period began: what was added since then is taken off, what was taken away comes back. */
function sizeAtStart(current: number, { added, removed }: Remembered, periodSeconds: number, now: number): number {
  const since = (rescales: readonly Rescale[]) =>
    rescales.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, { change }) => sum + change, 0)
  return current - since(added) + since(removed)
}
