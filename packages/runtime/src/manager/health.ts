import type { Informers } from "../cache/informers.ts"
import type { ControllerRunner } from "../controller/controller-runner.ts"
import type { LeaderElection } from "./leader-election.ts"

/** One of the checks, by name. */
export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  readonly reason?: string
  /** It says whether we can work, and nothing about whether the process should live: of a service elsewhere that is away, say. */
  readonly readyOnly?: boolean
}

/** Whether all is well, as /healthz and /readyz ask. */
export interface Health {
  /** Whether the process should go on living, check by check. */
  live(): readonly HealthCheck[]
  /** Whether it does its work: caches are full, and the loops run or wait for the lease. */
  ready(): readonly HealthCheck[]
}

export interface HealthOptions {
  readonly informers: Pick<Informers, "notSynced">
  readonly runners: readonly Pick<ControllerRunner, "name">[]
  readonly election?: LeaderElection
  readonly isRunning: (controller: string) => boolean
  /** Of whoever runs the manager. */
  readonly others?: () => readonly HealthCheck[]
}

export function healthChecks({ informers, runners, election, isRunning, others = () => [] }: HealthOptions): Health {
  const caches = (): HealthCheck => {
    const missing = informers.notSynced
    return { name: "caches", ok: missing.length === 0, reason: missing.length === 0 ? undefined : `not synced yet: ${missing.join(", ")}` }
  }
  // Whoever waits for the lease with warm caches is as ready as can be.
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
  if (!election.isHealthy) return [{ name: "leader-election", ok: false, reason: "the lease is overdue and was not given up" }]
  return [{ name: "leader-election", ok: true, reason: election.isLeading ? "leading" : `${election.leader || "nobody"} leads` }]
}
