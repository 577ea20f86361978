import type { Attempt } from "./row.ts"

/** Megabytes that the process may have more of at the height of an attack; 2,559 were found. */
export const peakGrowth = 250

/**
 * The same where a server sends at the speed of the loopback: what arrives is garbage as soon as it is passed on, and how much of it lies about before V8
 * collects it depends on the load. 170 to 510 were found on two cores.
 */
export const peakWithGarbage = 600

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
