import { isAlreadyExists, isConflict, isNotFound } from "@pilothouse/api"
import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { LeaderElectionOptions } from "./leader-election-options.ts"
import { acquiredLease, canAcquire, expiresAfter, type Holder, newLease, releasedLease } from "./lease-record.ts"

export interface LeaseHolderOptions extends Omit<Holder, "now" | "debugCertificate">, Pick<LeaderElectionOptions, "debugCertificate"> {
  /** The key of the Lease. */
  readonly lease: string
  readonly client: Client
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** The last observed Lease, and when by the local clock: the clocks of two machines are never compared. */
interface ObservedLease {
  readonly lease: Lease
  readonly at: number
}

/**
 * One candidate's access to a Lease: each call is one try, without waiting.
 * Invariant: #observed is the newest Lease of any response; #renewedAt is when the last successful try began.
 */
export class LeaseHolder {
  readonly #options: LeaseHolderOptions
  readonly #slowPath
  #observed: ObservedLease | undefined
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: LeaseHolderOptions) {
    this.#options = options
    const help = "Renewals that had to read the lease before they could write it"
    this.#slowPath = options.metrics.counter({ name: "leader_election_slowpath_total", help })
  }

  /** The known holder of the Lease; "" when there is none. */
  get holder(): string {
    return this.#observed?.lease.spec?.holderIdentity ?? ""
  }

  /** elapsed() before the last successful try: other candidates count from a later time. */
  get renewedAt(): number {
    return this.#renewedAt
  }

  /** Milliseconds until the Lease of the known holder expires if it is not renewed; undefined without a known holder. */
  get expiresIn(): number | undefined {
    if (this.#observed === undefined || this.holder === "") return undefined
    return Math.max(0, this.#observed.at + expiresAfter(this.#observed.lease, this.#options) - this.#options.clock.elapsed())
  }

  /** Tries to acquire or to renew the Lease. Never throws. */
  async tryToHold(signal: AbortSignal): Promise<boolean> {
    const asked = this.#options.clock.elapsed()
    const held = (await this.#renewUnread(signal)) || (!signal.aborted && (await this.#readAndAcquire(signal)))
    if (held) this.#renewedAt = asked
    return held
  }

  /** Releases the Lease: an empty holder can be replaced at once. */
  async release(signal: AbortSignal): Promise<void> {
    const { client, clock, log, identity, lease: key } = this.#options
    try {
      for (
        let current = this.#observed?.lease;
        current?.spec?.holderIdentity === identity;
        current = await client.get(leases, key, { signal })
      ) {
        const update = client.update(leases, releasedLease(current, clock.now()), { signal })
        if (await update.then((lease) => this.#observe(lease), orConflict)) return
      }
    } catch (error) {
      log.warn("could not release the lease; the next leader waits until it expires", { lease: key, error: messageOf(error) })
    }
  }

  /** The holder wrote the Lease last and knows its contents: one request instead of two. */
  async #renewUnread(signal: AbortSignal): Promise<boolean> {
    const { client, identity, lease: key } = this.#options
    const known = this.#observed?.lease
    if (known?.spec?.holderIdentity !== identity) return false
    try {
      return this.#observe(await client.update(leases, acquiredLease(known, this.#record()), { signal }))
    } catch (error) {
      if (!isConflict(error)) this.#warn("could not renew the lease", error, signal)
      this.#slowPath.add(1, { name: key })
      return false
    }
  }

  async #readAndAcquire(signal: AbortSignal): Promise<boolean> {
    const { client, clock, lease: key } = this.#options
    try {
      const current = await client.get(leases, key, { signal })
      this.#observe(current)
      if (!canAcquire(current, this.#record(), clock.elapsed() - (this.#observed?.at ?? 0))) return false
      return this.#observe(await client.update(leases, acquiredLease(current, this.#record()), { signal }))
    } catch (error) {
      if (isNotFound(error)) return this.#create(signal)
      if (!isConflict(error)) this.#warn("could not read or acquire the lease", error, signal)
      return false
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { client, lease: key } = this.#options
    try {
      return this.#observe(await client.create(leases, newLease(key, this.#record()), { signal }))
    } catch (error) {
      if (!isAlreadyExists(error)) this.#warn("could not create the lease", error, signal)
      return false
    }
  }

  /** During shutdown there is nothing to warn of: only a request that timed out has failed. */
  #warn(what: string, error: unknown, signal: AbortSignal): void {
    const { log, lease } = this.#options
    const reason: unknown = signal.reason
    const isLate = reason instanceof PilothouseError && reason.code === "TIMEOUT"
    if (!signal.aborted || isLate) log.warn(what, { lease, error: messageOf(isLate ? reason : error) })
  }

  #record(): Holder {
    const { identity, leaseDuration, debugAddress, debugCertificate, clock } = this.#options
    return { identity, leaseDuration, debugAddress, debugCertificate: debugCertificate?.(), now: clock.now() }
  }

  /** Returns true, for use as the result of a call. */
  #observe(lease: Lease): true {
    const changed = this.#observed?.lease.metadata.resourceVersion !== lease.metadata.resourceVersion
    if (changed) this.#observed = { lease, at: this.#options.clock.elapsed() }
    return true
  }
}

function orConflict(error: unknown): false {
  if (isConflict(error)) return false
  throw error
}
