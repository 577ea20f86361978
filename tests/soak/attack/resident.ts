import type { Attempt } from "./row.ts"

/** Megabytes that the process may have more of at the height of an attack; 2,559 were found. */
export const peakGrowth = 250

/** Watches the resident size until it is stopped: the highest growth in megabytes. */
export function watchResident({ target }: Attempt): () => number {
  const start = target.resident
  let peak = start
  const timer = setInterval(() => {
    peak = Math.max(peak, target.resident)
  }, 50)
  return () => {
    clearInterval(timer)
    return peak - start
  }
}
