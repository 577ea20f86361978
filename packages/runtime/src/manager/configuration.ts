import { defaultTimeLimit } from "../controller/time-limit.ts"
import { defaultMaxConcurrentReconciles } from "../controller/worker.ts"
import { checkedTimings } from "./leader-election-options.ts"
import type { ManagerOptions } from "./manager.ts"

/** How long loops may take to end what they have in hand, unless told otherwise. */
export const defaultGrace = "10s"

/** What /configz shows. */
export function configurationOf({
  controllers,
  leaderElection,
  grace = defaultGrace,
  startInterval = 0,
  dryRun = false,
}: ManagerOptions): unknown {
  const shown = controllers.map(
    ({ name, maxConcurrentReconciles = defaultMaxConcurrentReconciles, reconcileTimeout = defaultTimeLimit }) => ({
      name,
      maxConcurrentReconciles,
      reconcileTimeout,
    }),
  )
  const election = leaderElection && { ...leaderElection, ...checkedTimings(leaderElection) }
  return { "pilothouse.dev": { controllers: shown, leaderElection: election, grace, startInterval, dryRun } }
}
