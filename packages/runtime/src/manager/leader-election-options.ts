import { type Clock, type Log, type Metrics, PilothouseError, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan.ts"

export interface LeaderElectionOptions {
  /** The Lease all candidates compete for: "kube-system/pilothouse". */
  readonly lease: string
  /** Unique among the candidates: the name of the machine and something drawn by lot, say. */
  readonly identity: string
  /** How long a leader that is not heard of counts as alive, in milliseconds; 15 s unless told otherwise. */
  readonly leaseDuration?: number
  /** How long a leader tries to renew before it gives up by itself; 10 s unless told otherwise. */
  readonly renewDeadline?: number
  /** Between two tries; 2 s unless told otherwise. */
  readonly retryPeriod?: number
  /** Where the leader answers questions about itself; written on the Lease. */
  readonly debugAddress?: string
}

export interface LeaderElectionSeams {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: Metrics
  /** Tells people who look at the Lease. */
  readonly say: (event: PlannedEvent) => void
}

export type Timings = Required<Pick<LeaderElectionOptions, "leaseDuration" | "renewDeadline" | "retryPeriod">>

/** A leader gives up before others may follow it, and has more than one try to renew. */
export function checkTimings({ leaseDuration, renewDeadline, retryPeriod }: Timings): void {
  if (leaseDuration > renewDeadline && renewDeadline > 1.2 * retryPeriod && retryPeriod > 0) return
  throw new PilothouseError(
    "INVALID",
    `expected lease duration > renew deadline > 1.2 × retry period, found ${leaseDuration}, ${renewDeadline} and ${retryPeriod} ms`,
  )
}
