const firstWait = 10_000
const maxWait = 300_000

/**
 * The pull that was due last and the one that is due next, of an image that cannot be pulled: 10 s after the first one, then 20 s, 40 s …
 * up to 5 min after the one before. After the first at 0: 10 s, 30 s, 70 s, 150 s, 310 s, 610 s, 910 s.
 */
export function pullsAround(first: number, now: number): { readonly last: number; readonly next: number } {
  let last = first
  let wait = firstWait
  while (last + wait <= now && wait < maxWait) {
    last += wait
    wait = Math.min(wait * 2, maxWait)
  }
  last += Math.floor(Math.max(now - last, 0) / wait) * wait
  return { last, next: last + wait }
}
