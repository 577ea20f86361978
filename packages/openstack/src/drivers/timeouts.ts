/** Milliseconds that somebody waits for a call that makes so many ports. Neutron makes them one after the other. */
export function createTimeout(ports: number): number {
  return 60_000 + 12_000 * (ports - 1)
}

/** How long a create stays open that nobody waits for any more: Neutron goes on with it, and its answer says what it has made. */
export const createDeadline = "5m"

/** Milliseconds, after those, for which nothing else is made for whom the last create has no answer: a second one would make a slow cloud slower. */
export const inFlightGrace = 40_000

/** The same for a whole load balancer, which Octavia may make for minutes: with the time of the call four of them. */
export const treeInFlightGrace = 180_000

/** So many creates may be unanswered at once, whether or not anybody still waits for them. */
export const maxInFlightCreates = 4

/** How long a pod waits, behind others too, before it is told so. Less than a look may take in all, which would end without a word. */
export const queueTimeout = "4m"
