import { approximateAmount, parseQuantity } from "@pilothouse/api"
import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"

/** How far usage may be from its target, as a share of it, before anything is changed. */
export interface Tolerances {
  readonly up: number
  readonly down: number
}

/** Each direction may have its own in spec.behavior. */
export function tolerancesOf({ spec }: HorizontalPodAutoscaler, usual: number): Tolerances {
  const own = (quantity: string | number | undefined) =>
    quantity === undefined ? usual : approximateAmount(parseQuantity(String(quantity)))
  return { up: own(spec.behavior?.scaleUp?.tolerance), down: own(spec.behavior?.scaleDown?.tolerance) }
}

export function isWithin({ up, down }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up
}
