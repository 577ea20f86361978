import { pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { markDescription } from "../drivers/creation/cluster-marks.ts"
import { podPorts, podVif, readyPod, type TestCluster, testCluster, testPod } from "./testing/cluster.ts"
import { expectFault } from "./testing/faults.ts"
import { nested } from "./testing/nested.ts"

const pooled = { kubernetes: { vif_pool_driver: "neutron" }, vif_pool: { ports_pool_min: 3, ports_pool_batch: 4, ports_pool_max: 5 } }

function names(run: TestCluster): readonly string[] {
  return podPorts(run)
    .map(({ name }) => name)
    .sort()
}

function remove(run: TestCluster, name: string): Promise<unknown> {
  return run.cluster.client.delete(pods, `default/${name}`, { gracePeriodSeconds: 0 })
}

describe("the pool neutron", () => {
  test("the first pod does not wait for the whole batch; spare ports are made beside it", async () => {
    await using run = await testCluster({ sections: pooled })
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    expect(names(run)).toEqual(["available-port", "available-port", "available-port", "available-port", "web-1"])
  })

  test("a pod from a warm pool waits for no call of the cloud; its name is written on the port afterwards", async () => {
    await using run = await testCluster({ sections: pooled })
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    run.cloud.knobs.latency = 5000
    await run.cluster.apply(testPod("web-2"))
    await run.cluster.advance("50ms")
    expect(await podVif(run, "web-2")).toBeDefined()
    run.cloud.knobs.latency = 0
    await run.cluster.advance("30s")
    expect(names(run)).toContain("web-2")
  })

  test("a slow cloud is asked for one batch at a time, however often the pool may be filled", async () => {
    const sections = { ...pooled, vif_pool: { ...pooled.vif_pool, ports_pool_update_frequency: 1 } }
    await using run = await testCluster({ sections })
    let batches = 0
    run.cloud.fault = ({ verb, path, body }) => {
      if (verb !== "POST" || path !== "/v2.0/ports") return undefined
      if (JSON.stringify(body).includes("available-port")) batches++
      return { delay: 20_000 }
    }
    await run.cluster.apply(testPod("web-1"))
    for (let second = 0; second < 15; second++) {
      await run.cluster.advance("1s")
      await run.cluster.apply(testPod(`more-${second}`))
    }
    expect(batches).toBe(1)
    run.cloud.fault = () => undefined
    await run.cluster.advance("2m")
    expect(names(run).filter((name) => name !== "available-port")).toHaveLength(16)
  })

  test("a large pool is filled in calls of ten: what the first has made is given out while the others are under way", async () => {
    const sections = { ...pooled, vif_pool: { ports_pool_min: 30, ports_pool_batch: 30 } }
    await using run = await testCluster({ sections })
    run.cloud.fault = ({ verb, path, body }) =>
      verb === "POST" && path === "/v2.0/ports" ? { delay: 100 * (body as { ports: unknown[] }).ports.length } : undefined
    await run.cluster.apply(testPod("web-1"))
    await run.cluster.advance("1500ms")
    const spare = podPorts(run).filter(({ name }) => name === "available-port")
    expect(spare).toHaveLength(10)
    await run.cluster.apply(testPod("web-2"))
    await run.cluster.advance("50ms")
    expect(spare.map(({ id }) => id)).toContain((await podVif(run, "web-2"))?.id)
    await run.cluster.advance("5s")
    expect(podPorts(run)).toHaveLength(31)
  })

  test("a pod that goes before its name was written costs no call for it", async () => {
    await using run = await testCluster({ sections: pooled })
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    await run.cluster.advance("5s")
    const from = run.cloud.calls.length
    await run.cluster.apply(testPod("short"))
    await run.cluster.advance("1s")
    await remove(run, "short")
    await run.cluster.advance("10s")
    const named = run.cloud.calls.slice(from).filter(({ verb, body }) => verb === "PUT" && JSON.stringify(body).includes("short"))
    expect(named).toEqual([])
  })

  test("ports come back to the pool, up to its size, and are given out again", async () => {
    await using run = await testCluster({ sections: pooled })
    for (const name of ["web-1", "web-2", "web-3"]) await run.cluster.apply(testPod(name))
    for (const name of ["web-1", "web-2", "web-3"]) await readyPod(run, name)
    for (const name of ["web-1", "web-2", "web-3"]) await remove(run, name)
    await run.cluster.advance("1m")
    expect(names(run)).toEqual(Array.from({ length: 5 }, () => "available-port"))
  })

  test("after a restart spare ports are spare, and those of pods are theirs", async () => {
    await using run = await testCluster({ sections: pooled })
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    await run.cluster.advance("30s")
    const before = podPorts(run).map(({ id }) => id)
    await run.cluster.restartControllers()
    await run.cluster.apply(testPod("web-2"))
    await readyPod(run, "web-2")
    expect(before).toContain((await podVif(run, "web-2"))?.id)
    expect((await podVif(run, "web-2"))?.id).not.toBe((await podVif(run, "web-1"))?.id)
  })
})

describe("pods inside virtual machines", () => {
  test("nested-vlan: the port is a subport of the node's trunk, with a VLAN of its own, and goes with the pod", async () => {
    await using run = await nested("nested-vlan")
    await run.cluster.apply(testPod("web-1"))
    await run.cluster.apply(testPod("web-2"))
    await readyPod(run, "web-1")
    await readyPod(run, "web-2")
    const [one, other] = [await podVif(run, "web-1"), await podVif(run, "web-2")]
    const vlans = [one, other].map((vif) => (vif?.type === "VIFVlanNested" ? vif.vlan_id : undefined))
    expect(new Set(vlans).size).toBe(2)
    expect(vlans).not.toContain(undefined)
    const [trunk] = [...run.cloud.neutron.trunks.values()]
    expect(trunk?.sub_ports.map(({ port_id }) => port_id).sort()).toEqual([one?.id, other?.id].sort())
    await remove(run, "web-1")
    await remove(run, "web-2")
    await run.cluster.settled()
    expect(podPorts(run)).toEqual([])
  })

  test("nested-vlan: pods that come and go together share the calls about their node's trunk", async () => {
    await using run = await nested("nested-vlan")
    run.cloud.knobs.latency = 100
    const pods = Array.from({ length: 20 }, (_, at) => `web-${at}`)
    for (const name of pods) await run.cluster.apply(testPod(name))
    for (const name of pods) await readyPod(run, name)
    const count = (words: string) => run.cloud.calls.filter(({ path }) => path.includes(words)).length
    expect(count("add_subports")).toBeLessThanOrEqual(5)
    for (const name of pods) await remove(run, name)
    await run.cluster.advance("1m")
    expect(podPorts(run)).toEqual([])
    expect(count("remove_subports")).toBeLessThanOrEqual(4)
  })

  test("nested-vlan with the pool nested: spare subports are kept, and found again after a restart", async () => {
    await using run = await nested("nested-vlan", { sections: { kubernetes: { vif_pool_driver: "nested" }, vif_pool: pooled.vif_pool } })
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    await run.cluster.advance("30s")
    expect(names(run).filter((name) => name === "available-port")).toHaveLength(4)
    const before = podPorts(run).map(({ id }) => id)
    await run.cluster.restartControllers()
    await run.cluster.apply(testPod("web-2"))
    await readyPod(run, "web-2")
    expect(before).toContain((await podVif(run, "web-2"))?.id)
  })

  test("nested-macvlan: the pod's address is allowed on the node's port, and no longer when it goes", async () => {
    await using run = await nested("nested-macvlan")
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    const parent = () => [...run.cloud.neutron.ports.values()].find(({ name }) => name === "node1")
    const [port] = podPorts(run)
    expect(parent()?.allowed_address_pairs).toMatchObject([{ ip_address: port?.fixed_ips[0]?.ip_address, mac_address: port?.mac_address }])
    await remove(run, "web-1")
    await run.cluster.settled()
    expect([parent()?.allowed_address_pairs, podPorts(run)]).toEqual([[], []])
  })

  test("nested-vlan with the pool nested: a spare port that was left on no trunk is assigned to no pod, and deleted", async () => {
    await using run = await nested("nested-vlan", { sections: { kubernetes: { vif_pool_driver: "nested" }, vif_pool: pooled.vif_pool } })
    const { podNetwork: network_id } = run.cloud.seed
    const description = markDescription({ cluster: "cluster-one" })
    const half = { network_id, name: "available-port", device_owner: "compute:kuryr", description }
    await openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock }).neutron.ports.create(half)
    await run.cluster.restartControllers()
    await run.cluster.apply(testPod("web-1"))
    await readyPod(run, "web-1")
    await run.cluster.advance("1m")
    const subports = [...run.cloud.neutron.trunks.values()].flatMap(({ sub_ports }) => sub_ports.map(({ port_id }) => port_id))
    expect(
      podPorts(run)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(subports.toSorted())
  })

  test("nested-macvlan: a node whose port the cloud does not have: told on the pod, no VIF and no port until it is there", async () => {
    await using run = await nested("nested-macvlan")
    const parent = [...run.cloud.neutron.ports.values()].find(({ name }) => name === "node1")!
    run.cloud.neutron.ports.change(parent.id, { fixed_ips: [{ ...parent.fixed_ips[0]!, ip_address: "192.168.0.99" }] })
    await run.cluster.apply(testPod("web-1"))
    await run.cluster.advance("2m")
    const says = /no port for the pod: expected a port with the address 192.168.0.10 in the subnet \S+ of the nodes, found none/
    await expectFault(run, { handler: "vif", name: "web-1", reason: "KuryrPortFailed", says })
    expect([await podVif(run, "web-1"), podPorts(run)]).toEqual([undefined, []])
    run.cloud.neutron.ports.change(parent.id, { fixed_ips: parent.fixed_ips })
    await run.cluster.advance("2m")
    expect([(await podVif(run, "web-1"))?.active, podPorts(run).length]).toEqual([true, 1])
  })
})
