import type { DesiredTree, FoundTree } from "./tree.ts"

/** How long a load balancer that was seen to be right is not read again, in milliseconds, while nothing changes. Shorter than a resync. */
const trustPeriod = 300_000

/** As it was when it was last read. */
interface LastFound {
  readonly found: FoundTree
  /** What the security groups of the pods would not let through then. */
  readonly refused?: readonly string[]
}

interface Right extends LastFound {
  /** What was wanted then. */
  readonly as: string
  readonly at: number
}

interface Seen extends Partial<LastFound> {
  readonly desired?: DesiredTree
  /** Nothing would be done to it. */
  readonly isRight: boolean
}

/**
 * What was last seen of the load balancers of Services, by their UID.
 * Invariant: #right has those that were up to date when they were last read, #pendingSince those that took no changes then.
 */
export class LastSeen {
  readonly #right = new Map<string, Right>()
  readonly #pendingSince = new Map<string, number>()

  /** As it was a short while ago, where it was right then and the same is wanted now. */
  stillRight(uid: string, desired: DesiredTree | undefined, now: number): LastFound | undefined {
    const last = this.#right.get(uid)
    if (desired === undefined || last?.as !== JSON.stringify(desired) || now - last.at >= trustPeriod) return undefined
    return { found: last.found, refused: last.refused }
  }

  record(uid: string, { desired, found, refused, isRight }: Seen, now: number): void {
    if (found !== undefined && isRight) this.#right.set(uid, { as: JSON.stringify(desired), at: now, found, refused })
    else this.#right.delete(uid)
    if (!found?.balancer.provisioning_status.startsWith("PENDING")) this.#pendingSince.delete(uid)
    else if (!this.#pendingSince.has(uid)) this.#pendingSince.set(uid, now)
  }

  /** Milliseconds that it was never seen to take changes; undefined: it takes some. */
  pendingFor(uid: string, now: number): number | undefined {
    const since = this.#pendingSince.get(uid)
    return since === undefined ? undefined : now - since
  }
}
