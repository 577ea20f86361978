import type { Refusal } from "./filter.ts"

/** No pod that left the node would change it. */
export function unresolvable(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: false }
}

/** Pods that leave the node may make room. */
export function resolvable(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: true }
}
