import type { Informers } from "../cache/informers.ts"
import type { ControllerRunner } from "../controller/controller-runner.ts"
import type { LeaderElection } from "./leader-election.ts"

/** One of the checks, by name. */
export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  readonly reason?: string
  /** Counts for readiness only, not for liveness: for example an external service that is unavailable. */
  readonly readyOnly?: boolean
}

/** The checks of /healthz, /livez and /readyz. */
export interface Health {
  /** The liveness checks. */
  live(): readonly HealthCheck[]
  /** The readiness checks: caches have synced, and the controllers run or wait for the lease. */
  ready(): readonly HealthCheck[]
}

export interface HealthOptions {
  readonly informers: Pick<Informers, "notSynced">
  readonly runners: readonly Pick<ControllerRunner, "name">[]
  readonly election?: LeaderElection
  readonly isRunning: (controller: string) => boolean
  /** Checks of the program that runs the manager. */
  readonly others?: () => readonly HealthCheck[]
}

/** Returns the checks of /healthz and /readyz: caches, controllers, leader election, and those of the program. */
export function healthChecks({ informers, runners, election, isRunning, others = () => [] }: HealthOptions): Health {
  const caches = (): HealthCheck => {
    const missing = informers.notSynced
    return { name: "caches", ok: missing.length === 0, reason: missing.length === 0 ? undefined : `not synced yet: ${missing.join(", ")}` }
  }
  // A standby with warm caches is ready.
  const controllerCheck = ({ name }: Pick<ControllerRunner, "name">): HealthCheck => {
    const isStandby = election !== undefined && !election.isLeading && !election.lost.aborted
    const ok = isRunning(name) || isStandby
    return { name, ok, reason: ok ? undefined : "not started yet, or stopped" }
  }
  return {
    live: () => [{ name: "ping", ok: true }, ...leaderCheck(election), ...others().filter(({ readyOnly }) => !readyOnly)],
    ready: () => [caches(), ...runners.map(controllerCheck), ...leaderCheck(election), ...others()],
  }
}

function leaderCheck(election: LeaderElection | undefined): readonly HealthCheck[] {
  if (election === undefined) return []
  if (!election.isHealthy) return [{ name: "leader-election", ok: false, reason: "the lease is overdue and was not released" }]
  return [{ name: "leader-election", ok: true, reason: election.isLeading ? "leading" : `${election.leader || "no replica"} leads` }]
}
