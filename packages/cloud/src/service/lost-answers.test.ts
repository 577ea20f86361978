import { nodes, services } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { MemoryFault } from "../memory/memory-cloud.ts"
import { CloudError } from "../provider/cloud-errors.ts"
import { cloudCluster, newService } from "./testing/cloud-cluster.ts"

const lost: MemoryFault = { loseAnswer: true }

test("reverts a change in the cloud whose answer was lost and that the user has reverted", async () => {
  await using made = await cloudCluster()
  const { running, cloud } = made
  await running.apply(newService())
  await running.settled()
  const [before] = [...cloud.balancers.values()]
  cloud.fault = () => lost
  await running.client.patch(services, "default/web", { spec: { sessionAffinity: "ClientIP" } })
  await running.settled()
  expect([...cloud.balancers.values()][0]?.made).toContain("ClientIP")
  cloud.fault = () => undefined
  await running.client.patch(services, "default/web", { spec: { sessionAffinity: "None", sessionAffinityConfig: null } })
  await running.advance("1m")
  expect([...cloud.balancers.values()]).toEqual([before])
})

test("a node that came, whose answer was lost, and that went again stayed behind the balancer", async () => {
  await using made = await cloudCluster()
  const { running, cloud } = made
  await running.apply(newService())
  await running.settled()
  cloud.fault = () => lost
  await running.apply({ apiVersion: "v1", kind: "Node", metadata: { name: "extra" } })
  await running.settled()
  expect([...cloud.balancers.values()][0]?.nodes).toEqual(["extra", "node-1"])
  cloud.fault = () => undefined
  await running.client.delete(nodes, "extra")
  await running.advance("1m")
  expect([...cloud.balancers.values()][0]?.nodes).toEqual(["node-1"])
})

test("a new process that could not look after a balancer still takes it away with its Service", async () => {
  await using made = await cloudCluster()
  const { running, cloud } = made
  await running.apply(newService())
  await running.settled()
  cloud.fault = () => ({ fail: new CloudError("down") })
  await running.restartControllers()
  await running.settled()
  cloud.fault = () => undefined
  await running.client.patch(services, "default/web", { metadata: { finalizers: null } })
  await running.client.delete(services, "default/web")
  await running.advance("1m")
  expect(cloud.balancers.size).toBe(0)
})
