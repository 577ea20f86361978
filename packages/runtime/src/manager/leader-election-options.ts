import { type Clock, type Duration, type Log, type Metrics, milliseconds, PilothouseError, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan/plan.ts"

/** The Lease by which one of several replicas is elected, and its timings. */
export interface LeaderElectionOptions {
  /** The Lease that all candidates compete for: "kube-system/pilothouse". */
  readonly lease: string
  /** Unique among the candidates: for example the host name and a random suffix. */
  readonly identity: string
  /** How long a leader that does not renew keeps the Lease; 15 s by default. */
  readonly leaseDuration?: Duration
  /** How long a leader tries to renew before it stops leading; 10 s by default. */
  readonly renewDeadline?: Duration
  /** Between two tries; 2 s by default. */
  readonly retryPeriod?: Duration
  /** Address of the leader's debug endpoints; written to the Lease. */
  readonly debugAddress?: string
  /** SHA-256 of the current certificate of that address, in lower-case hexadecimal; written to the Lease. */
  readonly debugCertificate?: () => string | undefined
}

/** What leader election works with. */
export interface LeaderElectionSeams {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: Metrics
  /** Records an event about the Lease. */
  readonly recordEvent: (event: PlannedEvent) => void
}

/** In milliseconds. */
export interface Timings {
  readonly leaseDuration: number
  readonly renewDeadline: number
  readonly retryPeriod: number
}

/** Returns the timings, upstream's by default. A leader gives up before others may acquire the Lease, and has more than one try to renew. */
export function checkedTimings(options: Pick<LeaderElectionOptions, keyof Timings>): Timings {
  const leaseDuration = milliseconds(options.leaseDuration ?? "15s")
  const renewDeadline = milliseconds(options.renewDeadline ?? "10s")
  const retryPeriod = milliseconds(options.retryPeriod ?? "2s")
  if (leaseDuration > renewDeadline && renewDeadline > 1.2 * retryPeriod && retryPeriod > 0)
    return { leaseDuration, renewDeadline, retryPeriod }
  throw new PilothouseError(
    "INVALID",
    `expected lease duration > renew deadline > 1.2 × retry period, found ${leaseDuration}, ${renewDeadline} and ${retryPeriod} ms`,
  )
}

/** Two candidates of one identity would both lead, and a Lease has a namespace. */
export function checkCandidate({ lease, identity }: Pick<LeaderElectionOptions, "lease" | "identity">): void {
  if (identity === "")
    throw new PilothouseError(
      "INVALID",
      "expected an identity that no other candidate has, found an empty one; use for example the name of the pod",
    )
  if (!/^[^/]+\/[^/]+$/.test(lease))
    throw new PilothouseError("INVALID", `expected namespace/name as the lease, such as kube-system/mine, found "${lease}"`)
}
