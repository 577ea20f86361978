// npm run test:real -- crds: definitions of defineKind, random definitions of custom resources and random writes of their objects, the same to the real API server and to ours; answers
// must be the same.
import { startControlPlane } from "../control-plane.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { judgeDefinitions, judgeUpdates } from "./judge-definitions.ts"
import { judgeKinds } from "./kinds.ts"
import { judgeObjects } from "./objects.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

/** About 40 seconds on two cores; the objects take about as long again. */
const defaultDefinitions = 1200
/** Writes of objects for each definition that is judged: most definitions are never stored. */
const writesPerDefinition = 1.5

async function run({ tally, random, histories = defaultDefinitions }: SuiteContext): Promise<void> {
  await using real = await startControlPlane({ apiServerFlags: ["--enable-priority-and-fairness=false"] })
  await using ours = await startOurApiServer()
  const servers = { real: real.client, ours: ours.client }
  await judgeKinds(tally, servers)
  await judgeDefinitions(tally, servers, random, histories)
  await judgeUpdates(tally, servers, random, Math.ceil(histories / 20))
  await judgeObjects(tally, servers, random, Math.ceil(histories * writesPerDefinition))
}
