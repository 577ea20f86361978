import { type Clock, type Duration, type Log, type Metrics, milliseconds, PilothouseError, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan/plan.ts"

/** By which Lease one of several replicas is chosen, and in what time. */
export interface LeaderElectionOptions {
  /** The Lease all candidates compete for: "kube-system/pilothouse". */
  readonly lease: string
  /** Unique among the candidates: the name of the machine and something drawn by lot, say. */
  readonly identity: string
  /** How long a leader that is not heard of counts as alive; 15 s unless told otherwise. */
  readonly leaseDuration?: Duration
  /** How long a leader tries to renew before it gives up by itself; 10 s unless told otherwise. */
  readonly renewDeadline?: Duration
  /** Between two tries; 2 s unless told otherwise. */
  readonly retryPeriod?: Duration
  /** Where the leader answers questions about itself; written on the Lease. */
  readonly debugAddress?: string
  /** SHA-256 of the certificate that is shown there now, in lower-case hexadecimal; written on the Lease beside the address. */
  readonly debugCertificate?: () => string | undefined
}

export interface LeaderElectionSeams {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: Metrics
  /** Tells people who look at the Lease. */
  readonly recordEvent: (event: PlannedEvent) => void
}

/** In milliseconds. */
export interface Timings {
  readonly leaseDuration: number
  readonly renewDeadline: number
  readonly retryPeriod: number
}

/** Upstream's where nothing else is said. A leader gives up before others may follow it, and has more than one try to renew. */
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

/** Two candidates of one name would both lead, and a Lease is in a namespace. */
export function checkCandidate({ lease, identity }: Pick<LeaderElectionOptions, "lease" | "identity">): void {
  if (identity === "")
    throw new PilothouseError(
      "INVALID",
      "expected an identity that no other candidate has, found an empty one; use the name of the pod, say",
    )
  if (!/^[^/]+\/[^/]+$/.test(lease))
    throw new PilothouseError("INVALID", `expected namespace/name as the lease, such as kube-system/mine, found "${lease}"`)
}
