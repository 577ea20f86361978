import { nodes, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podPorts, podVif, readyPod, type TestCluster, testCluster, testPod } from "./testing/cluster.ts"
import { nested } from "./testing/nested.ts"

const vif_pool = { ports_pool_min: 2, ports_pool_batch: 3, ports_pool_max: 5, ports_pool_update_frequency: 20 }
const ways = {
  neutron: () => testCluster({ sections: { kubernetes: { vif_pool_driver: "neutron" }, vif_pool } }),
  nested: async () => {
    const run = await nested("nested-vlan", { sections: { kubernetes: { vif_pool_driver: "nested" }, vif_pool } })
    await setAddress(run, "node2", "192.168.0.11")
    return run
  },
}
const each = Object.keys(ways) as (keyof typeof ways)[]

async function setAddress({ cluster }: TestCluster, name: string, address: string, type = "InternalIP"): Promise<void> {
  const addresses = [{ type, address }]
  await cluster.client.patch(nodes, { metadata: { name } }, { status: { addresses } }, { subresource: "status" })
}

/** The pool of node1, with a pod that had a port of it and is gone. */
async function warm(way: keyof typeof ways): Promise<TestCluster> {
  const run = await ways[way]()
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("1m")
  expect(names(run)).toEqual(Array.from({ length: 4 }, () => "available-port"))
  return run
}

function names(run: TestCluster): readonly string[] {
  return podPorts(run)
    .map(({ name }) => name)
    .sort()
}

function subports({ cloud }: TestCluster): number {
  return [...cloud.neutron.trunks.values()].flatMap(({ sub_ports }) => sub_ports).length
}

test.each(each)("%s: spare ports of a node that is gone go after the grace time, and leave its trunk", async (way) => {
  await using run = await warm(way)
  expect(subports(run)).toBe(way === "nested" ? 4 : 0)
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.advance("4m50s")
  expect(names(run)).toHaveLength(4)
  await run.cluster.advance("1m")
  expect([names(run), subports(run)]).toEqual([[], 0])
})

test.each(each)("%s: those of a node that is not ready stay, however long", async (way) => {
  await using run = await warm(way)
  const conditions = [{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" }]
  await run.cluster.client.patch(nodes, { metadata: { name: "node1" } }, { status: { conditions } }, { subresource: "status" })
  await run.cluster.advance("60m")
  expect(names(run)).toHaveLength(4)
})

test.each(each)("%s: those of a node that is created again in time stay, and are assigned", async (way) => {
  await using run = await warm(way)
  const before = podPorts(run).map(({ id }) => id)
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.advance("4m")
  await run.cluster.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "node1" } })
  if (way === "nested") await setAddress(run, "node1", "192.168.0.10")
  await run.cluster.advance("30m")
  await run.cluster.apply(testPod("web-2"))
  await readyPod(run, "web-2")
  expect(before).toContain((await podVif(run, "web-2"))?.id)
})

test.each(each)("%s: deletes the ports of a node that was removed while no controller ran", async (way) => {
  await using run = await warm(way)
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.restartControllers()
  // Pools are looked after once there is a pod to serve.
  await run.cluster.apply(testPod("web-2", { nodeName: "node2" }))
  await run.cluster.advance("10m")
  expect(podPorts(run).filter((port) => port["binding:host_id"] === "node1")).toEqual([])
  expect(subports(run)).toBe(0)
})

test("nested: while a node has published no more than its host name no port counts as left over, and they stay", async () => {
  await using run = await warm("nested")
  await setAddress(run, "node2", "node2", "Hostname")
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.advance("30m")
  expect(names(run)).toHaveLength(4)
  await setAddress(run, "node2", "192.168.0.11")
  await run.cluster.advance("6m")
  expect(names(run)).toEqual([])
})

test("a pod that is still on a node that is gone keeps its port; no spare ones are created for it, and what it releases is deleted", async () => {
  await using run = await warm("neutron")
  await run.cluster.apply(testPod("web-2"))
  await readyPod(run, "web-2")
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.advance("30m")
  expect(names(run)).toEqual(["web-2"])
  const from = run.cloud.calls.length
  await run.cluster.client.delete(pods, "default/web-2", { gracePeriodSeconds: 0 })
  await run.cluster.advance("1m")
  expect(names(run)).toEqual([])
  expect(run.cloud.calls.slice(from).filter(({ verb }) => verb === "POST" || verb === "PUT")).toEqual([])
})

test("the grace time is that of the sweep", async () => {
  const sections = { kubernetes: { vif_pool_driver: "neutron" }, vif_pool }
  await using run = await testCluster({ sections, kuryr: { sweep: { grace: "1m" } } })
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("1m")
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.advance("1m")
  expect(names(run)).toHaveLength(4)
  await run.cluster.advance("1m")
  expect(names(run)).toEqual([])
})

test("one that cannot go yet is tried again", async () => {
  await using run = await warm("neutron")
  run.cloud.fault = ({ verb, path }) => (verb === "DELETE" && path.startsWith("/v2.0/ports/") ? { status: 503 } : undefined)
  await run.cluster.client.delete(nodes, "node1")
  await run.cluster.advance("10m")
  expect(names(run)).toHaveLength(4)
  run.cloud.fault = () => undefined
  await run.cluster.advance("1m")
  expect(names(run)).toEqual([])
})
