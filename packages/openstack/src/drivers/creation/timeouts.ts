/** Returns the milliseconds that a caller waits for a call that creates so many ports. Neutron creates them one after the other. */
export function createTimeout(ports: number): number {
  return 60_000 + 12_000 * (ports - 1)
}

/** How long a create stays open without a waiting caller: Neutron continues with it, and the response says what it has created. */
export const createDeadline = "5m"

/** Milliseconds, after those, for which nothing else is made for whom the last create has no answer: a second one would make a slow cloud slower. */
export const inFlightGrace = 40_000

/** The same for a whole load balancer, which Octavia may make for minutes: with the time of the call four of them. */
export const treeInFlightGrace = 180_000

/** How many creates may be without a response at once, whether or not a caller still waits for them. */
export const maxInFlightCreates = 4

/** How long a pod waits, also behind others, before its request fails. Less than the reconcile timeout, which would end without a message. */
export const queueTimeout = "4m"
