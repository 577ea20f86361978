import { formatMicroTime, isAlreadyExists, isConflict, isNotFound, splitKey } from "@pilothouse/api"
import { type Lease, leases } from "@pilothouse/api/coordination/v1"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { LeaderElectionOptions } from "./leader-election-options.ts"

/** Annotation of the Lease: the address of the leader's debug endpoints. */
export const debugAddressAnnotation = "pilothouse.dev/debug-address"

/** Annotation of the Lease: SHA-256 of the certificate of that address, in lower-case hexadecimal. */
export const debugCertificateAnnotation = "pilothouse.dev/debug-certificate-sha256"

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

/** A candidate at a moment. */
interface Holder {
  readonly identity: string
  /** Milliseconds. */
  readonly leaseDuration: number
  readonly debugAddress?: string
  /** SHA-256 of the certificate there. */
  readonly debugCertificate?: string
  /** Milliseconds since 1970, only written to the Lease. */
  readonly now: number
}

/** Reports whether the Lease can be acquired: it is free, our own, or has not changed for its whole duration by the local clock. */
function canAcquire(lease: Lease, holder: Holder, unchangedFor: number): boolean {
  return unchangedFor >= expiresAfter(lease, holder)
}

/** Milliseconds without a change after which the Lease counts as expired. */
function expiresAfter({ spec }: Lease, { identity, leaseDuration }: Pick<Holder, "identity" | "leaseDuration">): number {
  const holder = spec?.holderIdentity ?? ""
  if (holder === "" || holder === identity) return 0
  return (spec?.leaseDurationSeconds ?? leaseDuration / 1000) * 1000
}

/** Returns a Lease that a holder creates: acquired and renewed now, without a transition. */
function newLease(key: string, holder: Holder): Lease {
  const time = formatMicroTime(holder.now)
  const metadata = withDebugAddress(splitKey(key), holder)
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { ...heldSpec(holder, time), acquireTime: time, leaseTransitions: 0 },
  }
}

/** Returns the Lease acquired or renewed: a renewal keeps acquireTime, an acquisition increments leaseTransitions. */
function acquiredLease(lease: Lease, holder: Holder): Lease {
  const time = formatMicroTime(holder.now)
  const renewed = { ...lease.spec, ...heldSpec(holder, time) }
  const metadata = withDebugAddress(lease.metadata, holder)
  if (lease.spec?.holderIdentity === holder.identity) return { ...lease, metadata, spec: renewed }
  // The field has 32 bits: at the maximum the count stays, so that an election can still succeed.
  const leaseTransitions = Math.min(2 ** 31 - 1, (lease.spec?.leaseTransitions ?? 0) + 1)
  return { ...lease, metadata, spec: { ...renewed, acquireTime: time, leaseTransitions } }
}

/** Returns the Lease without a holder: the next candidate need not wait. */
function releasedLease(lease: Lease, now: number): Lease {
  const time = formatMicroTime(now)
  const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: time, acquireTime: time }
  return { ...lease, metadata: withDebugAddress(lease.metadata, {}), spec }
}

function heldSpec({ identity, leaseDuration }: Holder, renewTime: string): NonNullable<Lease["spec"]> {
  return { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseDuration / 1000), renewTime }
}

/** Sets or removes the annotations: the address of the last leader would be wrong. */
function withDebugAddress(
  metadata: Lease["metadata"],
  { debugAddress, debugCertificate }: Pick<Holder, "debugAddress" | "debugCertificate">,
): Lease["metadata"] {
  const { [debugAddressAnnotation]: address, [debugCertificateAnnotation]: certificate, ...others } = metadata.annotations ?? {}
  if (address === debugAddress && certificate === debugCertificate) return metadata
  return {
    ...metadata,
    annotations: {
      ...others,
      ...(debugAddress !== undefined && { [debugAddressAnnotation]: debugAddress }),
      ...(debugCertificate !== undefined && { [debugCertificateAnnotation]: debugCertificate }),
    },
  }
}
