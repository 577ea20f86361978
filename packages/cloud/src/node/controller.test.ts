import { events, nodes } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { CloudError } from "../provider/cloud-errors.ts"
import { newNode, nodeCluster } from "../testing/node-cluster.ts"
import { cloudNodeController } from "./controller.ts"
import { initialLabels, newAddresses, reconciledLabels } from "./decide.ts"
import { uninitializedTaint } from "./uninitialized.ts"

const start = () => nodeCluster((provider, clock) => cloudNodeController({ instances: provider.instances!, clock }))
const taint = { key: uninitializedTaint, value: "true", effect: "NoSchedule" as const }
const other = { key: "other", effect: "NoSchedule" as const }
const machine = {
  name: "n",
  providerId: "memory:///1",
  zone: "a",
  region: "r",
  instanceType: "big",
  addresses: [{ type: "InternalIP" as const, address: "10.0.0.1" }],
}

describe("a new node", () => {
  test("gets provider ID, labels and addresses, loses the taint and only that, and an event says so", async () => {
    await using made = await start()
    made.cloud.instances.set("n", { ...machine, additionalLabels: { "example.com/rack": "7", "sub.k8s.io/no": "x" } })
    await made.running.apply(newNode("n", { spec: { taints: [taint, other] } }))
    await made.running.settled()
    const node = await made.node("n")
    expect(node.spec).toMatchObject({ providerID: "memory:///1", taints: [other] })
    expect(node.metadata.labels).toMatchObject({
      "topology.kubernetes.io/zone": "a",
      "failure-domain.beta.kubernetes.io/zone": "a",
      "topology.kubernetes.io/region": "r",
      "node.kubernetes.io/instance-type": "big",
      "example.com/rack": "7",
    })
    expect(node.metadata.labels).not.toHaveProperty(["sub.k8s.io/no"])
    expect(node.status?.addresses).toEqual(machine.addresses)
    const told = await made.running.list(events)
    expect(told.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(["Synced: Node synced successfully"])
  })

  test("is counted by how long it has waited", async () => {
    const metrics = memoryMetrics()
    await using made = await nodeCluster((provider, clock) => cloudNodeController({ instances: provider.instances!, clock, metrics }))
    await made.running.apply(newNode("n", { spec: { taints: [taint] } }))
    await made.running.settled()
    expect(metrics.text()).not.toContain("node_controller_initial_node_sync_delay_seconds_count")
    made.cloud.instances.set("n", machine)
    await made.running.advance("1m")
    const text = metrics.text()
    for (const name of ["cloud_provider_taint_removal_delay_seconds", "initial_node_sync_delay_seconds"])
      expect(text).toMatch(new RegExp(`^node_controller_${name}_count 1$`, "m"))
    await made.running.advance("10m")
    expect(metrics.text()).toMatch(/^node_controller_initial_node_sync_delay_seconds_count 1$/m)
  })

  test("that the cloud does not know yet keeps its taint, and is asked for again", async () => {
    await using made = await start()
    await made.running.apply(newNode("n", { spec: { taints: [taint] } }))
    await made.running.advance("1s")
    expect((await made.node("n")).spec?.taints).toEqual([taint])
    made.cloud.instances.set("n", machine)
    await made.running.advance("1m")
    expect((await made.node("n")).spec?.taints ?? []).toEqual([])
  })

  test("whose machine has no provider ID keeps its taint until it has one", async () => {
    await using made = await start()
    made.cloud.instances.set("n", { ...machine, providerId: "" })
    await made.running.apply(newNode("n", { spec: { taints: [taint] } }))
    await made.running.advance("1m")
    expect((await made.node("n")).spec?.taints).toEqual([taint])
    made.cloud.instances.set("n", machine)
    await made.running.advance("2m")
    expect((await made.node("n")).spec).toMatchObject({ providerID: machine.providerId })
  })

  test("got the labels of the node that had its name before", async () => {
    await using made = await start()
    made.cloud.fault = () => ({ delay: 5000 })
    made.cloud.instances.set("n", machine)
    await made.running.apply(newNode("n", { spec: { taints: [taint], providerID: machine.providerId } }))
    await made.running.advance("2s")
    await made.running.client.delete(nodes, "n")
    made.cloud.instances.set("other", { ...machine, name: "other", providerId: "memory:///2", zone: "b" })
    await made.running.apply(newNode("n", { spec: { taints: [taint], providerID: "memory:///2" } }))
    await made.running.advance("20s")
    expect((await made.node("n")).metadata.labels).toMatchObject({ "topology.kubernetes.io/zone": "b" })
  })

  test("a cloud that hangs over one node holds up no other", async () => {
    await using made = await start()
    made.cloud.instances.set("n", machine)
    made.cloud.fault = ({ about }) => (about === "slow" ? { hang: true } : undefined)
    await made.running.apply(newNode("slow", { spec: { taints: [taint] } }))
    await made.running.settled()
    await made.running.apply(newNode("n", { spec: { taints: [taint] } }))
    await made.running.advance("2s")
    expect((await made.node("n")).spec?.taints ?? []).toEqual([])
  })
})

test("a node in use follows its addresses in the cloud every five minutes, and is not asked for at every heartbeat", async () => {
  await using made = await start()
  made.cloud.instances.set("n", machine)
  await made.running.apply(newNode("n", { spec: { providerID: machine.providerId } }))
  await made.running.advance("1m")
  expect(made.cloud.calls).toHaveLength(1)
  made.cloud.instances.set("n", { ...machine, addresses: [{ type: "InternalIP", address: "10.0.0.2" }] })
  await made.running.advance("5m")
  expect((await made.node("n")).status?.addresses).toEqual([{ type: "InternalIP", address: "10.0.0.2" }])
  expect(made.cloud.calls).toHaveLength(2)
  made.cloud.fault = () => ({ fail: new CloudError("down") })
  await made.running.advance("10m")
  expect((await made.node("n")).status?.addresses).toEqual([{ type: "InternalIP", address: "10.0.0.2" }])
})

describe("labels", () => {
  test("what is there already is not replaced by the cloud's own", () => {
    const node = newNode("n", { metadata: { labels: { mine: "1" } } })
    expect(initialLabels(node, { providerId: "x", addresses: [], additionalLabels: { mine: "2", yours: "3" } })).toEqual({ yours: "3" })
  })

  test("the newer name follows the older one", () => {
    const labels = { "failure-domain.beta.kubernetes.io/zone": "a", "topology.kubernetes.io/zone": "b" }
    expect(reconciledLabels(newNode("n", { metadata: { labels } }))).toEqual({ "topology.kubernetes.io/zone": "a" })
  })
})

describe("addresses", () => {
  const [inside, outside] = [
    { type: "InternalIP" as const, address: "10.0.0.1" },
    { type: "ExternalIP" as const, address: "1.2.3.4" },
  ]
  test("the kubelet's hostname stays where the cloud knows none", () => {
    const host = { type: "Hostname" as const, address: "n" }
    expect(newAddresses(newNode("n", { status: { addresses: [host] } }), [inside])).toEqual([inside, host])
    expect(newAddresses(newNode("n", { status: { addresses: [host, inside] } }), [inside])).toBeUndefined()
  })

  test("the one the kubelet asked for is the only one of its type", () => {
    const second = { ...inside, address: "10.0.0.9" }
    const node = newNode("n", { metadata: { annotations: { "alpha.kubernetes.io/provided-node-ip": "10.0.0.9" } } })
    expect(newAddresses(node, [inside, second, outside])).toEqual([second, outside])
    expect(() => newAddresses(node, [inside])).toThrow("failed to get node address from cloud provider that matches ip: 10.0.0.9")
  })

  test("the one the kubelet asked for was not found where the cloud writes it another way", () => {
    const six = { ...inside, address: "fd00:0:0::1" }
    const node = newNode("n", { metadata: { annotations: { "alpha.kubernetes.io/provided-node-ip": "fd00::1" } } })
    expect(newAddresses(node, [inside, six])).toEqual([six])
  })
})
