import { findCondition } from "@pilothouse/api"
import { events, nodes } from "@pilothouse/api/core/v1"
import { parseCidr } from "@pilothouse/api/net"
import { expect, test } from "vitest"
import { CloudError } from "../provider/cloud-errors.ts"
import { type NodeCluster, newNode, nodeCluster } from "../testing/node-cluster.ts"
import { routeController } from "./controller.ts"

const start = () =>
  nodeCluster((provider, clock) => routeController({ routes: provider.routes!, clock, clusterRanges: [parseCidr("10.244.0.0/16")!] }))
const node = (name: string, range: string, address: string) =>
  newNode(name, { spec: { podCIDR: range, podCIDRs: [range] }, status: { addresses: [{ type: "InternalIP", address }] } })

const routesIn = ({ cloud }: NodeCluster) =>
  [...cloud.routes.values()].map((route) => `${route.destination} ${route.targetNode} ${route.targetAddress}`)
const unavailable = async (made: NodeCluster, name: string) => {
  const found = findCondition((await made.node(name)).status?.conditions, "NetworkUnavailable")
  return `${found?.status} ${found?.reason}: ${found?.message}`
}

test("every node with a range gets a route, and a condition that says so", async () => {
  await using made = await start()
  await made.running.apply(node("a", "10.244.1.0/24", "10.0.0.1"))
  await made.running.apply(node("b", "10.244.2.0/24", "10.0.0.2"))
  await made.running.settled()
  expect(routesIn(made)).toEqual(["10.244.1.0/24 a 10.0.0.1", "10.244.2.0/24 b 10.0.0.2"])
  expect(await unavailable(made, "a")).toBe("False RouteCreated: RouteController created a route")
  const before = made.cloud.writes
  await made.running.advance("1m")
  expect(made.cloud.writes).toBe(before)
})

test("the route of a node that is gone, or has another address, goes; routes outside of the cluster's ranges stay", async () => {
  await using made = await start()
  made.cloud.routes.set("other", { name: "other", cluster: "kubernetes", targetNode: "x", destination: "10.1.0.0/24" })
  await made.running.apply(node("a", "10.244.1.0/24", "10.0.0.1"))
  await made.running.apply(node("b", "10.244.2.0/24", "10.0.0.2"))
  await made.running.settled()
  await made.running.client.delete(nodes, "a")
  await made.running.client.patch(
    nodes,
    "b",
    { status: { addresses: [{ type: "InternalIP", address: "10.0.0.3" }] } },
    { subresource: "status" },
  )
  await made.running.advance("10s")
  expect(routesIn(made)).toEqual(["10.1.0.0/24 x undefined", "10.244.2.0/24 b 10.0.0.3"])
})

test("the default route, and one to a network that the cluster is part of, were deleted", async () => {
  await using made = await start()
  for (const destination of ["0.0.0.0/0", "10.0.0.0/8", "10.244.0.0/15"])
    made.cloud.routes.set(destination, { name: destination, cluster: "kubernetes", targetNode: "", destination })
  await made.running.apply(node("a", "10.244.1.0/24", "10.0.0.1"))
  await made.running.advance("1m")
  expect([...made.cloud.routes.values()].map(({ destination }) => destination)).toEqual([
    "0.0.0.0/0",
    "10.0.0.0/8",
    "10.244.0.0/15",
    "10.244.1.0/24",
  ])
})

test("a route that cannot be created is reported on the node, and retried", async () => {
  await using made = await start()
  made.cloud.fault = ({ verb }) => (verb === "createRoute" ? { fail: new CloudError("quota") } : undefined)
  await made.running.apply(node("a", "10.244.1.0/24", "10.0.0.1"))
  await made.running.settled()
  expect(await unavailable(made, "a")).toBe("True NoRouteCreated: RouteController failed to create a route")
  const [event] = await made.running.list(events)
  expect(event).toMatchObject({ reason: "FailedToCreateRoute", message: expect.stringMatching(/10\.244\.1\.0\/24 for node a: quota$/) })
  expect(event?.involvedObject.uid).toBe((await made.node("a")).metadata.uid)
  made.cloud.fault = () => undefined
  await made.running.advance("1m")
  expect(await unavailable(made, "a")).toBe("False RouteCreated: RouteController created a route")
})

test("writes its own condition over one that another controller has set", async () => {
  await using made = await start()
  const conditions = [{ type: "NetworkUnavailable", status: "False", reason: "OtherIsUp" }]
  const { spec, status } = node("a", "10.244.1.0/24", "10.0.0.1")
  await made.running.apply(newNode("a", { spec, status: { ...status, conditions } }))
  await made.running.settled()
  expect(await unavailable(made, "a")).toBe("False RouteCreated: RouteController created a route")
})

test("a node with two ranges gets two routes, and is reachable only with both", async () => {
  await using made = await start()
  made.cloud.fault = ({ verb, about }) =>
    verb === "createRoute" && about === "fd00:1::/64" ? { fail: new CloudError("quota") } : undefined
  const [one, two] = ["10.244.1.0/24", "fd00:1::/64"]
  await made.running.apply(
    newNode("a", { spec: { podCIDR: one, podCIDRs: [one!, two!] }, status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] } }),
  )
  await made.running.settled()
  expect([routesIn(made), await unavailable(made, "a")]).toEqual([
    ["10.244.1.0/24 a 10.0.0.1"],
    "True NoRouteCreated: RouteController failed to create a route",
  ])
  made.cloud.fault = () => undefined
  await made.running.advance("1m")
  expect([routesIn(made).length, (await unavailable(made, "a")).slice(0, 5)]).toEqual([2, "False"])
})

test("both routes of a node of two families led to its first address", async () => {
  await using made = await start()
  const addresses = ["10.0.0.1", "fd00::a"].map((address) => ({ type: "InternalIP", address }))
  await made.running.apply(newNode("a", { spec: { podCIDRs: ["10.244.1.0/24", "fd00:1::/64"] }, status: { addresses } }))
  await made.running.settled()
  expect(routesIn(made)).toEqual(["10.244.1.0/24 a 10.0.0.1", "fd00:1::/64 a fd00::a"])
})

test("a route that leads nowhere, or to another node, is replaced", async () => {
  await using made = await start()
  const astray = { cluster: "kubernetes", destination: "10.244.1.0/24", targetAddress: "10.0.0.1" }
  made.cloud.routes.set("hole", { ...astray, name: "hole", targetNode: "a", blackhole: true })
  made.cloud.routes.set("other", { ...astray, name: "other", targetNode: "b" })
  await made.running.apply(node("a", "10.244.1.0/24", "10.0.0.1"))
  await made.running.settled()
  expect([...made.cloud.routes.values()].map(({ targetNode, blackhole }) => [targetNode, blackhole])).toEqual([["a", undefined]])
})

test("a route that cannot be deleted keeps none from being made", async () => {
  await using made = await start()
  made.cloud.routes.set("old", { name: "old", cluster: "kubernetes", targetNode: "gone", destination: "10.244.7.0/24" })
  made.cloud.fault = ({ verb }) => (verb === "deleteRoute" ? { fail: new CloudError("busy") } : undefined)
  await made.running.apply(node("a", "10.244.1.0/24", "10.0.0.1"))
  await made.running.settled()
  expect(routesIn(made)).toContain("10.244.1.0/24 a 10.0.0.1")
  expect(await unavailable(made, "a")).toContain("False RouteCreated")
})
