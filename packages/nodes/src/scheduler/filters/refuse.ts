import type { Refusal } from "./filter.ts"

/** Returns a refusal that evicting pods cannot resolve. */
export function unresolvable(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: false }
}

/** Returns a refusal that evicting pods may resolve. */
export function resolvable(...reasons: readonly string[]): Refusal {
  return { reasons, resolvable: true }
}
