import { endpoints, services } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decodeState } from "../versioned-objects/annotations.ts"
import { stateAnnotation } from "./annotations.ts"
import { readyPod, type TestCluster, testCluster, testPod, testService } from "./testing/cluster.ts"

const sections = { kubernetes: { endpoints_lbaas_driver: "lbaasv2" } }

function balancers({ cloud }: TestCluster): readonly string[] {
  return [...cloud.octavia.balancers.rows.values()].map(({ id, name }) => `${name} ${id}`).filter((one) => one.startsWith("default/web "))
}

async function untilMembers(run: TestCluster, count: number): Promise<void> {
  await run.cluster.until(async () => {
    const found = (await run.cluster.list(endpoints, { namespace: "default" })).find(({ metadata }) => metadata.name === "web")
    const text = found?.metadata.annotations?.[stateAnnotation]
    return text !== undefined && decodeState(text).members.length === count
  })
}

test("lbaasv2: a Service is served over the paths of neutron-lbaas, found again after a restart, and leaves nothing", async () => {
  await using run = await testCluster({ sections })
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.apply(testService("web"))
  await untilMembers(run, 1)
  const made = balancers(run)
  expect(made).toHaveLength(1)
  await run.cluster.restartControllers()
  await run.cluster.apply(testPod("web-2"))
  await readyPod(run, "web-2")
  await untilMembers(run, 2)
  expect(balancers(run)).toEqual(made)
  await run.cluster.client.delete(services, "default/web")
  await run.cluster.until(async () => balancers(run).length === 0)
  expect(run.cloud.calls.filter(({ service }) => service === "octavia")).toEqual([])
})
