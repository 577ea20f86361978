import type { Refusal } from "./filter.ts"

/** No pod that left the node would change it. */
export function forGood(...reasons: readonly string[]): Refusal {
  return { reasons, curable: false }
}

/** Pods that leave the node may make room. */
export function forNow(...reasons: readonly string[]): Refusal {
  return { reasons, curable: true }
}
