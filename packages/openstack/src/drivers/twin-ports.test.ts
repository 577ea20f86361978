import { pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { podOf, podPorts, testCluster, vifOf } from "../handlers/test-cloud.ts"
import { markOf } from "./identity.ts"

test("a port that a killed process had asked for and that came about after its successor had looked: it goes, the pod keeps the other one", async () => {
  await using run = await testCluster()
  await run.cluster.apply(podOf("web-1"))
  await run.cluster.until(async () => (await vifOf(run, "web-1"))?.active === true)
  const { uid } = (await run.cluster.client.get(pods, "default/web-1")).metadata
  const { neutron } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
  const { podNetwork: network_id } = run.cloud.seed
  const description = markOf({ cluster: "cluster-one" }, uid)
  await neutron.ports.create({ network_id, name: "web-1", device_owner: "compute:kuryr", device_id: uid, description })
  await run.cluster.advance("1m")
  expect(podPorts(run).map(({ id }) => id)).toEqual([(await vifOf(run, "web-1"))?.id])
})
