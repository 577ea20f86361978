import { events, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { markDescription, markTags } from "../drivers/creation/cluster-marks.ts"
import { readyPod, type TestCluster, testCluster, testPod } from "../handlers/testing/cluster.ts"

const mine = { cluster: "cluster-one" }
const theirs = { cluster: "cluster-two" }
const quick = { every: "1m", grace: "2m" } as const

/** Ports, a load balancer and a floating IP of owners that are gone, and things that have an owner. */
async function leftovers(run: TestCluster) {
  const { neutron, octavia } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
  const { podNetwork: network_id, serviceSubnet: vip_subnet_id, publicNetwork: floating_network_id } = run.cloud.seed
  const port = (name: string, description: string) => neutron.ports.create({ network_id, name, device_owner: "compute:kuryr", description })
  await port("orphan-port", markDescription(mine, "gone"))
  await port("another-clusters", markDescription(theirs, "gone"))
  await port("kuryrs", "")
  await octavia.loadBalancers.create({ name: "default/orphan", vip_subnet_id, tags: markTags(mine, "gone") })
  await octavia.loadBalancers.create({ name: "default/another-clusters", vip_subnet_id, tags: markTags(theirs, "gone") })
  await neutron.floatingIps.create({ floating_network_id, description: markDescription(mine, "gone") })
  await neutron.floatingIps.create({ floating_network_id, description: "a user's own" })
}

function there({ cloud }: TestCluster): readonly string[] {
  const ports = [...cloud.neutron.ports.values()].filter(({ device_owner }) => device_owner === "compute:kuryr").map(({ name }) => name)
  const balancers = [...cloud.octavia.balancers.rows.values()].map(({ name }) => name).filter((name) => name !== "default/kubernetes")
  return [...ports, ...balancers, `${cloud.neutron.floatingIps.size} floating IPs`].sort()
}

const kept = ["1 floating IPs", "another-clusters", "default/another-clusters", "kuryrs", "web-1"]
const all = ["2 floating IPs", "another-clusters", "default/another-clusters", "default/orphan", "kuryrs", "orphan-port", "web-1"]

test("deletes objects without an owner after the grace period, with a reason; keeps owned ones, another cluster's and kuryr's", async () => {
  await using run = await testCluster({ kuryr: { sweep: quick } })
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await leftovers(run)
  await run.cluster.advance("1m50s")
  expect(there(run)).toEqual(all)
  await run.cluster.advance("4m")
  expect(there(run)).toEqual(kept)
  const reasons = run.cluster.trace
    .entries()
    .filter(({ controller }) => controller === "sweep")
    .flatMap(({ plan }) => plan?.steps.flatMap(({ operations }) => operations.map(({ reason }) => reason)) ?? [])
  expect(new Set(reasons)).toEqual(new Set(["it was made for gone, which is gone"]))
})

test("dry run: events say what would be deleted, and nothing is deleted", async () => {
  await using run = await testCluster({ kuryr: { sweep: { ...quick, dryRun: true } } })
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await leftovers(run)
  await run.cluster.advance("10m")
  expect(there(run)).toEqual(all)
  const messages = (await run.cluster.list(events)).filter(({ reason }) => reason === "KuryrOrphan").map(({ message }) => message)
  expect(messages).toContainEqual("the port orphan-port would be removed: it was made for gone, which is gone")
  expect(messages).toContainEqual("the load balancer default/orphan would be removed: it was made for gone, which is gone")
})

test("spare ports of a pool are no orphans, however long they wait", async () => {
  const sections = { kubernetes: { vif_pool_driver: "neutron" }, vif_pool: { ports_pool_min: 2, ports_pool_batch: 2 } }
  await using run = await testCluster({ sections, kuryr: { sweep: quick } })
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("30m")
  expect(there(run).filter((name) => name === "available-port").length).toBeGreaterThanOrEqual(2)
})

test("deletes half a minute after the start what lost its owner while no controller ran: all is listed by then", async () => {
  await using run = await testCluster({ kuryr: { sweep: { every: "10m", grace: "5m" } } })
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await leftovers(run)
  await run.cluster.advance("2s")
  await run.cluster.restartControllers()
  await run.cluster.advance("20s")
  expect(there(run)).toEqual(all)
  await run.cluster.advance("20s")
  expect(there(run)).toEqual(kept)
})
