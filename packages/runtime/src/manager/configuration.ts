import type { ManagerOptions } from "./manager.ts"

/** What /configz shows. */
export function configurationOf({
  controllers,
  leaderElection,
  grace = "10s",
  startInterval = 0,
  dryRun = false,
}: ManagerOptions): unknown {
  const loops = controllers.map(({ name, concurrency = 5, timeLimit = 300_000 }) => ({ name, concurrency, timeLimit }))
  return { "pilothouse.dev": { controllers: loops, leaderElection, grace, startInterval, dryRun } }
}
