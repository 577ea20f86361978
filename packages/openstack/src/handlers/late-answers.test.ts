import { nodes, pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { markDescription } from "../drivers/creation/cluster-marks.ts"
import type { EmbeddedCall, EmbeddedFault } from "../embedded/embedded-open-stack.ts"
import { podPorts, podVif, type TestCluster, testPod } from "./testing/cluster.ts"
import { clients, objectsWithEvent } from "./testing/faults.ts"
import { nested } from "./testing/nested.ts"

const isCreate = ({ verb, path }: EmbeddedCall) => verb === "POST" && path === "/v2.0/ports"
const isAdd = ({ path }: EmbeddedCall) => path.endsWith("/add_subports")
/** Neutron has the ports in its database at once; it answers when they are bound. */
const late = (call: EmbeddedCall): EmbeddedFault | undefined => (isCreate(call) ? { answersAfter: 95_000 } : undefined)

/** Whether each pod has an active VIF whose port is there and, on a trunk, has the VIF's VLAN. */
async function whole(run: TestCluster, names: readonly string[]): Promise<readonly boolean[]> {
  const ids = new Set(podPorts(run).map(({ id }) => id))
  const subports = [...run.cloud.neutron.trunks.values()].flatMap(({ sub_ports }) => sub_ports)
  const vlans = new Map(subports.map(({ port_id, segmentation_id }) => [port_id, segmentation_id]))
  const vifs = await Promise.all(names.map((name) => podVif(run, name)))
  return vifs.map(
    (vif) => vif?.active === true && ids.has(vif.id ?? "") && (vif.type !== "VIFVlanNested" || vif.vlan_id === vlans.get(vif.id ?? "")),
  )
}

const setAddress = (run: TestCluster, name: string, address: string) =>
  run.cluster.client.patch(
    nodes,
    { metadata: { name } },
    { status: { addresses: [{ type: "InternalIP", address }] } },
    { subresource: "status" },
  )

/** Another virtual machine with a trunk, of which this gives the id. */
async function secondNode(run: TestCluster): Promise<string> {
  const { neutron } = clients(run)
  const { nodeNetwork, nodeSubnet } = run.cloud.seed
  const fixed_ips = [{ subnet_id: nodeSubnet, ip_address: "192.168.0.11" }]
  const port = await neutron.ports.create({ network_id: nodeNetwork, name: "node2", fixed_ips })
  const { id } = await neutron.trunks.create({ port_id: port.id })
  await setAddress(run, "node2", "192.168.0.11")
  return id
}

describe("ports that are there long before Neutron says so, on nodes that are virtual machines", () => {
  test.each([
    ["nested-vlan", 1],
    ["nested-vlan", 3],
    ["nested-macvlan", 3],
  ] as const)("%s, %i pods: an event when the call times out, ready when the answer comes, and the ports stay", async (driver, count) => {
    await using run = await nested(driver)
    run.cloud.fault = late
    const names = Array.from({ length: count }, (_, at) => `web-${at}`)
    for (const name of names) await run.cluster.apply(testPod(name))
    // A call times out after 60 s, and one that creates several ports after up to 90.
    await run.cluster.advance("92s")
    expect([(await objectsWithEvent(run, "KuryrPortFailed")).size > 0, podPorts(run).length > 0]).toEqual([true, true])
    expect(await whole(run, names)).toEqual(names.map(() => false))
    await run.cluster.advance("10m")
    expect(await whole(run, names)).toEqual(names.map(() => true))
    expect([podPorts(run).length, run.kuryr().failed()]).toEqual([count, []])
  })

  test("rolls back no port of a pod with a VIF when a trunk of the batch refuses", async () => {
    await using run = await nested("nested-vlan")
    const refuses = await secondNode(run)
    run.cloud.fault = (call) => (isAdd(call) && call.path.includes(refuses) ? { status: 409 } : late(call))
    // The first two are calls of their own; the others wait, and are one.
    const names = ["first", "second", "third"]
    for (const name of names) await run.cluster.apply(testPod(name))
    await run.cluster.apply(testPod("refused", { nodeName: "node2" }))
    await run.cluster.advance("4m")
    run.cloud.fault = (call) => (isAdd(call) && call.path.includes(refuses) ? { status: 409 } : undefined)
    await run.cluster.advance("15m")
    expect(await whole(run, names)).toEqual([true, true, true])
    expect([await podVif(run, "refused"), podPorts(run).length]).toEqual([undefined, 3])
  })

  test("a pod that goes meanwhile: its port goes when the answer has come, and the others of its call have theirs", async () => {
    await using run = await nested("nested-vlan")
    run.cloud.fault = late
    const names = ["one", "two", "stays", "goes"]
    for (const name of names) await run.cluster.apply(testPod(name))
    await run.cluster.advance("140s")
    expect(podPorts(run)).toHaveLength(4)
    await run.cluster.client.delete(pods, "default/goes", { gracePeriodSeconds: 0 })
    await run.cluster.advance("60s")
    expect(await whole(run, names.slice(0, 3))).toEqual([true, true, true])
    expect([podPorts(run).length, run.kuryr().failed()]).toEqual([3, []])
  })

  test("a pod that is deleted without a response ever: its port is searched for when the call has timed out, and deleted", async () => {
    await using run = await nested("nested-vlan", { kuryr: { sweep: { every: "60m" } } })
    run.cloud.fault = (call) => (isCreate(call) ? { answersAfter: 3_600_000 } : undefined)
    await run.cluster.apply(testPod("goes"))
    await run.cluster.advance("65s")
    await run.cluster.client.delete(pods, "default/goes", { gracePeriodSeconds: 0 })
    await run.cluster.advance("2m")
    expect(podPorts(run)).toHaveLength(1)
    await run.cluster.advance("3m")
    expect([podPorts(run), run.kuryr().failed()]).toEqual([[], []])
  })

  test("an answer that takes nearly five minutes: another is created, which the pod keeps or releases at once; the first is deleted when it is answered", async () => {
    await using run = await nested("nested-vlan")
    let creates = 0
    // Both pods are in the first call.
    run.cloud.fault = (call) => (isCreate(call) && creates++ === 0 ? { answersAfter: 280_000 } : undefined)
    for (const name of ["stays", "goes"]) await run.cluster.apply(testPod(name))
    await run.cluster.advance("3m")
    expect([await whole(run, ["stays", "goes"]), podPorts(run).length]).toEqual([[true, true], 4])
    await run.cluster.client.delete(pods, "default/goes", { gracePeriodSeconds: 0 })
    await run.cluster.advance("5s")
    expect(podPorts(run)).toHaveLength(3)
    await run.cluster.advance("5m")
    expect([await whole(run, ["stays"]), podPorts(run).length, run.kuryr().failed()]).toEqual([[true], 1, []])
  })

  test("a node without a port of its own: the pods of other nodes that are asked for in the same call do not wait for it", async () => {
    await using run = await nested("nested-macvlan")
    await setAddress(run, "node2", "192.168.0.77")
    run.cloud.fault = late
    const before = run.cloud.calls.length
    const names = Array.from({ length: 7 }, (_, at) => `web-${at}`)
    await run.cluster.apply(testPod("homeless", { nodeName: "node2" }))
    for (const name of names) await run.cluster.apply(testPod(name))
    await run.cluster.apply(testPod("homeless-too", { nodeName: "node2" }))
    await run.cluster.advance("205s")
    expect(await whole(run, names)).toEqual(names.map(() => true))
    expect(run.cloud.calls.slice(before).filter(isCreate).length).toBeLessThanOrEqual(3)
    expect([...(await objectsWithEvent(run, "KuryrPortFailed"))]).toEqual(expect.arrayContaining(["homeless", "homeless-too"]))
    expect(podPorts(run)).toHaveLength(7)
  })
})

test.each([["lost"], ["late"]])(
  "a half-made port is put on its trunk, and that answer is %s: the VLAN it has there is used",
  async (how) => {
    await using run = await nested("nested-vlan")
    // As a process leaves it that is killed after its first call.
    run.cloud.fault = () => ({ status: 503 })
    await run.cluster.apply(testPod("web-1"))
    await run.cluster.advance("1s")
    run.cloud.fault = () => undefined
    const { uid } = (await run.cluster.client.get(pods, "default/web-1")).metadata
    const description = markDescription({ cluster: "cluster-one" }, uid)
    const { podNetwork: network_id } = run.cloud.seed
    await clients(run).neutron.ports.create({ network_id, name: "web-1", device_owner: "compute:kuryr", description })
    let adds = 0
    run.cloud.fault = (call) => {
      if (!isAdd(call) || adds++ > 0) return undefined
      return how === "lost" ? { loseAnswer: true } : { answersAfter: 70_000 }
    }
    await run.cluster.restartControllers()
    await run.cluster.advance("2m")
    expect([await whole(run, ["web-1"]), adds, podPorts(run).length]).toEqual([[true], 1, 1])
  },
)
