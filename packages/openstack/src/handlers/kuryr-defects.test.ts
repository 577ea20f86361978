import { pods, services } from "@pilothouse/api/core/v1"
import { describePlan } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { podPorts, podVif, readyPod, testCluster, testPod, testService } from "./testing/cluster.ts"
import { members } from "./testing/faults.ts"

// What users of kuryr complained about and no other suite is named after.

test("the trace says what was done to the cloud, and why, for each pod and Service, as `pilothouse explain` shows it", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await members(run, "web")) === 1)
  const reported = run.cluster.trace
    .entries()
    .filter(({ key }) => key === "default/web-1" || key === "default/web")
    .flatMap(({ plan, results }) => (plan === undefined ? [] : describePlan(plan, results)))
  expect(reported).toContain("ensure port of default/web-1, because it runs on node1 and has no port: done")
  expect(reported).toContain("create balancer of default/web, because there is none yet: done")
})

test("a cloud that never answers does not hold up a stop: kuryr needed a minute", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testPod("before"))
  await readyPod(run, "before")
  run.cloud.fault = () => ({ hang: true })
  await run.cluster.apply(testPod("waiting"))
  await run.cluster.apply(testService("waiting"))
  await run.cluster.advance("1s")
  const since = run.cluster.clock.elapsed()
  run.cloud.fault = () => undefined
  await run.cluster.restartControllers()
  expect(run.cluster.clock.elapsed() - since).toBeLessThan(15_000)
  await readyPod(run, "waiting")
  expect(podPorts(run)).toHaveLength(2)
})

test("receives pods, Services and their deletions across restarts: kuryr lost what came in between", async () => {
  await using run = await testCluster()
  for (let round = 0; round < 3; round++) {
    await run.cluster.apply(testPod(`web-${round}`))
    await run.cluster.restartControllers()
    await readyPod(run, `web-${round}`)
  }
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await members(run, "web")) === 3)
  await run.cluster.client.delete(pods, "default/web-0", { gracePeriodSeconds: 0 })
  await run.cluster.client.delete(services, "default/web")
  await run.cluster.restartControllers()
  await run.cluster.advance("2m")
  const left = [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/web")
  expect([podPorts(run).length, left]).toEqual([2, []])
})

test("one exhausted subnet, one broken annotation and one stuck load balancer at once: a pod and a Service beside them are served within seconds", async () => {
  await using run = await testCluster()
  run.cloud.fault = ({ verb, path, body }) => {
    if (verb !== "POST") return undefined
    const text = JSON.stringify(body)
    if (path === "/v2.0/ports" && text.includes('"unlucky"')) return { status: 409 }
    return path.endsWith("/loadbalancers") && text.includes("default/unlucky") ? { hang: true } : undefined
  }
  const broken = testPod("broken")
  const annotations = { "openstack.org/kuryr-vif": "not even JSON" }
  await run.cluster.apply({ ...broken, metadata: { ...broken.metadata, annotations } })
  await run.cluster.apply(testPod("unlucky"))
  await run.cluster.apply(testService("unlucky"))
  await run.cluster.advance("10s")
  const since = run.cluster.clock.elapsed()
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await members(run, "web")) === 1)
  expect(run.cluster.clock.elapsed() - since).toBeLessThan(5000)
  expect(await podVif(run, "unlucky")).toBeUndefined()
})
