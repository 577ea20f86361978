import { splitKey } from "@pilothouse/api"
import { abortable, abortWith, PilothouseError } from "@pilothouse/seams"
import {
  checkCandidate,
  checkedTimings,
  type LeaderElectionOptions,
  type LeaderElectionSeams,
  type Timings,
} from "./leader-election-options.ts"
import { LeaseHolder } from "./lease-holder.ts"

/** The signals of a leader. */
export interface LeadershipSignals {
  /** Aborts when the work shall end: at shutdown, or when the Lease is lost. */
  readonly stop: AbortSignal
  /** Aborts when the Lease is lost: no more writes. */
  readonly lost: AbortSignal
}

/** Milliseconds a lease may be overdue before a leader that has not stopped is unhealthy. */
const overdueTolerance = 20_000

/**
 * Leads while it holds a Lease: client-go's LeaderElector.
 *
 * Invariant: isLeading only while the last successful renewal was started less than `renewDeadline` ago by the local clock,
 * which is earlier than any other candidate may acquire the Lease.
 */
export class LeaderElection {
  readonly #options: Pick<LeaderElectionOptions, "lease" | "identity"> & Timings
  readonly #seams: LeaderElectionSeams
  readonly #holder: LeaseHolder
  readonly #lost = new AbortController()
  readonly #status
  #leading = false

  constructor(options: LeaderElectionOptions, seams: LeaderElectionSeams) {
    checkCandidate(options)
    this.#options = { ...options, ...checkedTimings(options) }
    this.#seams = seams
    this.#holder = new LeaseHolder({ ...options, ...seams, leaseDuration: this.#options.leaseDuration })
    this.#status = seams.metrics.gauge({ name: "leader_election_master_status", help: "1 while this process leads, 0 while it waits" })
    this.#status.set(0, { name: options.lease })
  }

  get isLeading(): boolean {
    return this.#leading && this.#sinceRenewed() < this.#options.renewDeadline
  }

  /** Aborts when the Lease is lost. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /** The known holder of the Lease; "" when there is none. */
  get leader(): string {
    return this.#holder.holder
  }

  /** False when it should have stopped leading long ago and has not: only a restart helps. */
  get isHealthy(): boolean {
    return !this.#leading || this.#sinceRenewed() <= this.#options.leaseDuration + overdueTolerance
  }

  /**
   * Waits for the Lease, then leads. Ends when `lead` has ended after the signal aborted, and releases the Lease;
   * the Lease is renewed until then. Throws LEADERSHIP_LOST when it was lost.
   */
  async run(lead: (leading: LeadershipSignals) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (!(await this.#acquire(signal))) return
    const over = new AbortController()
    this.#setLeading(true)
    const renewing = this.#renewUntilLost(over.signal)
    try {
      await lead({ stop: AbortSignal.any([signal, this.lost]), lost: this.lost })
    } finally {
      over.abort()
      await renewing
      this.#setLeading(false)
      if (!this.lost.aborted) await this.#release()
    }
    if (this.lost.aborted) throw this.lost.reason
  }

  /** Never throws: a Lease that cannot be released expires. */
  async #release(): Promise<void> {
    const { retryPeriod, lease } = this.#options
    await this.#limited(retryPeriod, undefined, (limit) => this.#holder.release(limit)).catch(() =>
      this.#seams.log.warn("releasing the lease timed out; the next leader waits until it expires", { lease }),
    )
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#seams
    const { lease, identity } = this.#options
    let logged: string | undefined
    while (!signal.aborted) {
      if (await this.#tryToHold(this.#maxCall(), signal)) return true
      if (logged !== this.leader)
        log.info("waiting for the lease; the caches are kept warm", { lease, identity, leader: this.leader || "not known" })
      logged = this.leader
      await clock.sleep(this.#untilNextTry(), { signal, name: `candidate for ${lease}` }).catch(() => {})
    }
    return false
  }

  /**
   * 1 to 2.2 retry periods: candidates that start together do not try together.
   * While another leads, half to one, and when its Lease expires: a renewal is then known at most one period late, so that a leader that
   * dies is replaced within the duration of the Lease and one period, 17 s; with the longer waits it would be up to 24 s.
   */
  #untilNextTry(): number {
    const { retryPeriod } = this.#options
    const lot = this.#seams.random.next()
    const left = this.#holder.expiresIn
    if (left === undefined || left === 0) return retryPeriod * (1 + 1.2 * lot)
    return Math.min(retryPeriod * (0.5 + 0.5 * lot), left)
  }

  async #renewUntilLost(signal: AbortSignal): Promise<void> {
    const { clock } = this.#seams
    const { retryPeriod, renewDeadline, lease, identity } = this.#options
    const left = () => Math.max(0, renewDeadline - this.#sinceRenewed())
    while (!signal.aborted) {
      await clock.sleep(Math.min(retryPeriod, left()), { signal, name: `leader of ${lease}` }).catch(() => {})
      if (signal.aborted) return
      const held = left() > 0 && (await this.#tryToHold(Math.min(left(), this.#maxCall()), signal))
      if (!held && !signal.aborted && (this.leader !== identity || left() === 0)) return this.#lose()
    }
  }

  #lose(): void {
    const { lease, renewDeadline, identity } = this.#options
    const taken = this.leader === identity ? "" : ` and is held by ${this.leader || "no replica"}`
    this.#lost.abort(
      new PilothouseError(
        "LEADERSHIP_LOST",
        `the lease ${lease} could not be renewed within ${renewDeadline} ms${taken}; every controller has stopped, so that two replicas never work at once; ` +
          "start it again, as a Deployment does by itself: it waits for the API server and for the lease",
      ),
    )
  }

  #tryToHold(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    return this.#limited(milliseconds, signal, (limit) => this.#holder.tryToHold(limit)).catch(() => false)
  }

  /** A hanging request must leave time for another one before the deadline. */
  #maxCall(): number {
    return Math.max(1000, this.#options.renewDeadline / 2)
  }

  async #limited<T>(milliseconds: number, outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limit = new AbortController()
    const late = () => limit.abort(new PilothouseError("TIMEOUT", `the server did not answer within ${Math.round(milliseconds)} ms`))
    using _timer = this.#seams.clock.timer(milliseconds, `call about ${this.#options.lease}`, late)
    using _outer = abortWith(limit, outer)
    return await abortable(work(limit.signal), limit.signal)
  }

  #sinceRenewed(): number {
    return this.#seams.clock.elapsed() - this.#holder.renewedAt
  }

  #setLeading(leading: boolean): void {
    const { lease, identity } = this.#options
    const what = leading ? "became leader" : "stopped leading"
    this.#leading = leading
    this.#status.set(leading ? 1 : 0, { name: lease })
    this.#seams.log.info(what, { lease, identity })
    const about = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: splitKey(lease) }
    this.#seams.recordEvent({ about, type: "Normal", reason: "LeaderElection", message: `${identity} ${what}` })
  }
}
