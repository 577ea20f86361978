import { events, nodes } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { uninitializedTaint } from "../node/uninitialized.ts"
import { CloudError } from "../provider/cloud-errors.ts"
import { newNode, nodeCluster } from "../testing/node-cluster.ts"
import { cloudNodeLifecycleController } from "./controller.ts"

const start = () => nodeCluster((provider, clock) => cloudNodeLifecycleController({ instances: provider.instances!, clock }))
const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] })
const spec = { providerID: "memory:///1" }

test("a node that is not Ready and whose machine is gone is deleted, and told", async () => {
  await using made = await start()
  await made.running.apply(newNode("n", { spec, status: ready("Unknown") }))
  await made.running.settled()
  expect(await made.running.list(nodes)).toEqual([])
  const [event] = await made.running.list(events)
  expect(event).toMatchObject({ reason: "DeletingNode", message: "Deleting node n because it does not exist in the cloud provider" })
})

test("a Ready node is never asked for", async () => {
  await using made = await start()
  await made.running.apply(newNode("n", { spec, status: ready("True") }))
  await made.running.advance("1m")
  expect(made.cloud.calls).toEqual([])
  expect(await made.running.list(nodes)).toHaveLength(1)
})

test("a machine that is switched off gives its node the taint, which goes when the node is Ready again", async () => {
  await using made = await start()
  made.cloud.instances.set("n", { name: "n", providerId: spec.providerID, isShutDown: true })
  await made.running.apply(newNode("n", { spec, status: ready("False") }))
  await made.running.advance("10s")
  expect((await made.node("n")).spec?.taints).toEqual([{ key: "node.cloudprovider.kubernetes.io/shutdown", effect: "NoSchedule" }])
  await made.running.client.patch(nodes, "n", { status: ready("True") }, { subresource: "status" })
  await made.running.settled()
  expect((await made.node("n")).spec?.taints ?? []).toEqual([])
})

test("it is asked for every five seconds while it is not Ready", async () => {
  await using made = await start()
  made.cloud.instances.set("n", { name: "n", providerId: spec.providerID })
  await made.running.apply(newNode("n", { spec, status: ready("False") }))
  await made.running.advance("11s")
  expect(made.cloud.calls.filter(({ verb }) => verb === "exists")).toHaveLength(3)
  made.cloud.instances.clear()
  await made.running.advance("5s")
  expect(await made.running.list(nodes)).toEqual([])
})

test("a new node was deleted for what the cloud said of the one before under its name", async () => {
  await using made = await start()
  made.cloud.fault = () => ({ delay: 5000 })
  await made.running.apply(newNode("n", { spec, status: ready("Unknown") }))
  await made.running.advance("2s")
  await made.running.client.delete(nodes, "n")
  made.cloud.instances.set("n", { name: "n", providerId: "memory:///2" })
  await made.running.apply(newNode("n", { spec: { providerID: "memory:///2" }, status: ready("Unknown") }))
  await made.running.advance("1m")
  expect((await made.running.list(nodes)).map((node) => node.spec?.providerID)).toEqual(["memory:///2"])
})

test("a new node without provider ID has a minute to become known", async () => {
  await using made = await start()
  const taints = [{ key: uninitializedTaint, effect: "NoSchedule" as const }]
  await made.running.apply(newNode("n", { spec: { taints } }))
  await made.running.advance("50s")
  expect(made.cloud.calls).toEqual([])
  await made.running.advance("20s")
  expect(await made.running.list(nodes)).toEqual([])
})

test("a cloud that does not answer leads to no deletion, and is read again", async () => {
  await using made = await start()
  made.cloud.fault = () => ({ fail: new CloudError("down") })
  await made.running.apply(newNode("n", { spec, status: ready("Unknown") }))
  await made.running.advance("1m")
  expect(await made.running.list(nodes)).toHaveLength(1)
  expect(made.cloud.calls.length).toBeGreaterThan(1)
  made.cloud.fault = () => undefined
  await made.running.advance("5m")
  expect(await made.running.list(nodes)).toEqual([])
})

test("after a long outage of the cloud a machine that was gone was found up to 17 minutes late", async () => {
  await using made = await start()
  made.cloud.fault = () => ({ fail: new CloudError("down") })
  await made.running.apply(newNode("n", { spec, status: ready("Unknown") }))
  await made.running.advance("1h")
  made.cloud.fault = () => undefined
  await made.running.advance("5s")
  expect(await made.running.list(nodes)).toEqual([])
})

test("a cloud that cannot say whether a machine is switched off is still asked every five seconds whether it is there", async () => {
  await using made = await start()
  made.cloud.instances.set("n", { name: "n", providerId: spec.providerID })
  made.cloud.fault = ({ verb }) => (verb === "isShutDown" ? { fail: new CloudError("not supported") } : undefined)
  await made.running.apply(newNode("n", { spec, status: ready("Unknown") }))
  await made.running.advance("1h")
  expect((await made.node("n")).spec?.taints ?? []).toEqual([])
  made.cloud.instances.clear()
  await made.running.advance("5s")
  expect(await made.running.list(nodes)).toEqual([])
})

test("the taint stands beside those of others, once, and only it goes again", async () => {
  await using made = await start()
  const other = { key: "other", effect: "NoSchedule" as const }
  made.cloud.instances.set("n", { name: "n", providerId: spec.providerID, isShutDown: true })
  await made.running.apply(newNode("n", { spec: { ...spec, taints: [other] }, status: ready("False") }))
  await made.running.advance("1m")
  expect((await made.node("n")).spec?.taints?.map(({ key }) => key)).toEqual(["other", "node.cloudprovider.kubernetes.io/shutdown"])
  await made.running.client.patch(nodes, "n", { status: ready("True") }, { subresource: "status" })
  await made.running.settled()
  expect((await made.node("n")).spec?.taints).toEqual([other])
})
