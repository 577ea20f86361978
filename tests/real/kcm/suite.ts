// npm run test:real -- kcm: the real controller manager and scheduler against our API server, with simulated nodes.

import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { startKcmCluster } from "./cluster.ts"
import { judgeComplaints } from "./complaints.ts"
import { judgeDeployment } from "./deployment.ts"
import { until } from "./until.ts"
import { judgeWorkloads } from "./workloads.ts"

/** 110 pods fit on a node; a roll-out of 500 has up to 625. */
const nodes = 8

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally }: SuiteContext): Promise<void> {
  await using server = await startOurApiServer()
  await using cluster = await startKcmCluster(server, nodes)
  const { client } = server
  await tally.group("the components start", async (group) => {
    const path = "/api/v1/namespaces/default/serviceaccounts/default"
    await until(group, client, { name: "the controllers run", path, when: ({ status }) => status === 200 })
  })
  await judgeDeployment(tally, client)
  await judgeWorkloads(tally, client, nodes)
  await judgeComplaints(tally, cluster)
}
