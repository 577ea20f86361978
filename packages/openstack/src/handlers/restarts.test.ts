import { events, pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { vifAnnotation } from "./annotations.ts"
import { podPorts, podVif, readyPod, testCluster, testPod, testService } from "./testing/cluster.ts"

test("a lost answer without a crash: the port is found again, not made twice", async () => {
  await using run = await testCluster()
  let lost = 0
  run.cloud.fault = ({ verb, path }) =>
    verb === "POST" && path === "/v2.0/ports" && lost++ === 0 ? { loseAnswer: true, status: 503 } : undefined
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  expect(podPorts(run)).toHaveLength(1)
})

test("one 503 on a port create: the pod is served within 2 s", async () => {
  await using run = await testCluster()
  let failed = 0
  run.cloud.fault = ({ verb, path }) => (verb === "POST" && path === "/v2.0/ports" && failed++ === 0 ? { status: 503 } : undefined)
  const since = run.cluster.clock.elapsed()
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  expect(run.cluster.clock.elapsed() - since).toBeLessThan(2000)
})

test("Neutron is away for five minutes: pods are served when it is back, and health says what failed meanwhile", async () => {
  await using run = await testCluster()
  run.cloud.fault = ({ service }) => (service === "neutron" ? { status: 503 } : undefined)
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.advance("5m")
  expect(run.kuryr().failed()).toContainEqual(expect.objectContaining({ handler: "vif", key: "default/web-1", event: "added" }))
  run.cloud.fault = () => undefined
  await run.cluster.advance("10m")
  expect((await podVif(run, "web-1"))?.active).toBe(true)
  expect(run.kuryr().failed()).toEqual([])
})

test("a pod deleted while no server could be reached, then a restart: its port is found by owner and removed", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  run.cloud.fault = ({ service }) => (service === "neutron" ? { status: 503 } : undefined)
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("10s")
  expect(podPorts(run)).toHaveLength(1)
  run.cloud.fault = () => undefined
  // The new process has never seen that pod.
  await run.cluster.restartControllers()
  await run.cluster.advance("10m")
  expect(podPorts(run)).toEqual([])
})

test("two clusters in one project never touch each other's objects", async () => {
  await using one = await testCluster()
  await one.cluster.apply(testPod("web-1"))
  await readyPod(one, "web-1")
  await one.cluster.apply(testService("web"))
  await one.cluster.advance("10s")
  const before = [podPorts(one).map(({ id }) => id), [...one.cloud.octavia.balancers.rows.keys()]]
  await using two = await testCluster({
    cloud: one.cloud,
    kuryr: { cluster: "cluster-two" },
    sections: { kubernetes: { enabled_handlers: "vif" } },
  })
  await two.cluster.apply(testPod("web-1"))
  await two.cluster.advance("30m")
  const after = [podPorts(one).map(({ id }) => id), [...one.cloud.octavia.balancers.rows.keys()]]
  expect(after[0]).toEqual(expect.arrayContaining(before[0]!))
  expect(after[1]).toEqual(before[1])
})

test("what kuryr annotated is continued: no new port, and what it wrote stays", async () => {
  await using first = await testCluster()
  await first.cluster.apply(testPod("web-1"))
  await readyPod(first, "web-1")
  const [port] = podPorts(first)
  // As kuryr leaves it: its port says nothing of clusters.
  const { neutron } = openStack({ access: first.cloud.access(), connect: first.cloud.connect, clock: first.cluster.clock })
  await neutron.ports.update(port!.id, { description: "" })
  await first.cluster.restartControllers()
  await first.cluster.advance("20m")
  expect(podPorts(first).map(({ id }) => id)).toEqual([port?.id])
  await first.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await first.cluster.advance("1m")
  expect(podPorts(first)).toEqual([])
})

test("a port that the cloud refuses fails that pod alone, with an event", async () => {
  await using run = await testCluster()
  run.cloud.fault = ({ verb, body }) =>
    verb === "POST" && JSON.stringify(body)?.includes('"name":"unlucky"') ? { status: 409 } : undefined
  await run.cluster.apply(testPod("unlucky"))
  await run.cluster.apply(testPod("lucky"))
  await readyPod(run, "lucky")
  expect((await run.cluster.client.get(pods, "default/unlucky")).metadata.annotations?.[vifAnnotation]).toBeUndefined()
  await run.cluster.advance("10s")
  const reported = (await run.cluster.list(events, { namespace: "default" })).filter(({ reason }) => reason === "KuryrPortFailed")
  expect(reported.map(({ involvedObject }) => involvedObject.name)).toEqual(["unlucky"])
})
