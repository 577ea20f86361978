import { defaultTimeLimit } from "../controller/time-limit.ts"
import { defaultConcurrency } from "../controller/worker.ts"
import { timingsOf } from "./leader-election-options.ts"
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
  const loops = controllers.map(
    ({ name, maxConcurrentReconciles: concurrency = defaultConcurrency, reconcileTimeout: timeLimit = defaultTimeLimit }) => ({
      name,
      concurrency,
      timeLimit,
    }),
  )
  const election = leaderElection && { ...leaderElection, ...timingsOf(leaderElection) }
  return { "pilothouse.dev": { controllers: loops, leaderElection: election, grace, startInterval, dryRun } }
}
