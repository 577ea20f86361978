import { endpoints, events, pods, services } from "@pilothouse/api/core/v1"
import { memoryMetrics } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { decodeState } from "../versioned-objects/annotations.ts"
import { specAnnotation, stateAnnotation } from "./annotations.ts"
import { podPorts, podVif, readyPod, type TestCluster, testCluster, testPod, testService } from "./testing/cluster.ts"

async function eventMessages(run: TestCluster, reason: string): Promise<readonly string[]> {
  const all = await run.cluster.list(events, { namespace: "default" })
  return all.filter((one) => one.reason === reason).map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`)
}

async function stateOn(run: TestCluster, name: string) {
  const text = (await run.cluster.client.get(endpoints, `default/${name}`)).metadata.annotations?.[stateAnnotation]
  return text === undefined ? undefined : decodeState(text)
}

function clients(run: TestCluster) {
  return openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
}

function balancers(run: TestCluster): readonly string[] {
  return [...run.cloud.octavia.balancers.rows.values()].map(({ name }) => name).filter((name) => name !== "default/kubernetes")
}

async function withPod(options: Parameters<typeof testCluster>[0] = {}): Promise<TestCluster> {
  const run = await testCluster(options)
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  return run
}

test("500 on a load balancer create: an event says so, it is tried again, and there is one in the end", async () => {
  await using run = await withPod()
  let failures = 0
  run.cloud.fault = ({ verb, path, body }) =>
    verb === "POST" && path.endsWith("/loadbalancers") && JSON.stringify(body).includes("default/web") && failures++ < 2
      ? { status: 500 }
      : undefined
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await stateOn(run, "web").catch(() => undefined))?.members.length === 1)
  expect(balancers(run)).toEqual(["default/web"])
  await run.cluster.advance("10s")
  expect(await eventMessages(run, "KuryrLoadBalancerFailed")).toContainEqual(expect.stringContaining("web: create-balancer failed"))
})

test("401 in the middle: a new token, without a failure", async () => {
  await using run = await withPod()
  run.cloud.keystone.revokeTokens()
  await run.cluster.apply(testPod("web-2"))
  await readyPod(run, "web-2")
  expect(podPorts(run)).toHaveLength(2)
  expect(run.kuryr().failed()).toEqual([])
})

test("a load balancer stuck in PENDING: it is waited for with a reason, and other Services are served meanwhile", async () => {
  await using run = await withPod()
  run.cloud.knobs.loadBalancerDelay = 400_000
  await run.cluster.apply(testService("stuck"))
  await run.cluster.advance("5s")
  run.cloud.knobs.loadBalancerDelay = 1000
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await stateOn(run, "web").catch(() => undefined))?.members.length === 1)
  expect(await stateOn(run, "stuck")).toBeUndefined()
  await run.cluster.advance("20m")
  expect((await stateOn(run, "stuck"))?.members.length).toBe(1)
  expect(balancers(run).toSorted()).toEqual(["default/stuck", "default/web"])
})

test("creates a load balancer in ERROR again, with a reason in the trace", async () => {
  await using run = await withPod()
  run.cloud.knobs.loadBalancerFails = true
  await run.cluster.apply(testService("web"))
  await run.cluster.advance("5s")
  run.cloud.knobs.loadBalancerFails = false
  await run.cluster.until(async () => (await stateOn(run, "web").catch(() => undefined))?.members.length === 1)
  expect(balancers(run)).toEqual(["default/web"])
  const words = run.cluster.trace
    .entries()
    .flatMap(({ plan }) => plan?.steps.flatMap(({ operations }) => operations.map(({ reason }) => reason)) ?? [])
  expect(words).toContain("the load balancer is in ERROR, from which there is no way back")
})

test("creates a port again that was deleted before it was active, with an event", async () => {
  await using run = await testCluster()
  run.cloud.knobs.portDelay = "never"
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.until(async () => (await podVif(run, "web-1")) !== undefined)
  const before = (await podVif(run, "web-1"))!.id
  await clients(run).neutron.ports.delete(before)
  run.cloud.knobs.portDelay = 500
  await run.cluster.until(async () => (await podVif(run, "web-1"))?.active === true)
  expect((await podVif(run, "web-1"))?.id).not.toBe(before)
  await run.cluster.advance("10s")
  expect(await eventMessages(run, "KuryrPortGone")).toHaveLength(1)
})

test("an annotation edited by hand: what cannot be read is left alone and told, what can is written again", async () => {
  await using run = await withPod()
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await stateOn(run, "web").catch(() => undefined))?.members.length === 1)
  const [before] = balancers(run)
  const right = (await run.cluster.client.get(services, "default/web")).metadata.annotations?.[specAnnotation]
  const edit = (of: typeof services | typeof endpoints, kind: string, annotations: Record<string, string | null>) =>
    run.cluster.client.patch(of as never, { kind, metadata: { namespace: "default", name: "web" } } as never, { metadata: { annotations } })
  await edit(endpoints, "Endpoints", { [stateAnnotation]: null })
  await run.cluster.until(async () => (await stateOn(run, "web"))?.members.length === 1)
  await edit(services, "Service", { [specAnnotation]: "not even JSON" })
  await run.cluster.advance("1m")
  expect((await run.cluster.client.get(services, "default/web")).metadata.annotations?.[specAnnotation]).toBe("not even JSON")
  expect(
    run
      .kuryr()
      .failed()
      .map(({ handler }) => handler),
  ).toContain("lbaasspec")
  await edit(services, "Service", { [specAnnotation]: null })
  await run.cluster.advance("1m")
  expect((await run.cluster.client.get(services, "default/web")).metadata.annotations?.[specAnnotation]).toBe(right)
  expect(balancers(run)).toEqual([before])
})

test("a provider that keeps the groups of its addresses to itself is asked once", async () => {
  await using run = await withPod()
  let refused = 0
  run.cloud.fault = ({ verb, path, body }) => {
    if (verb !== "PUT" || !path.startsWith("/v2.0/ports/") || !JSON.stringify(body).includes("security_groups")) return undefined
    refused++
    return { status: 403 }
  }
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await stateOn(run, "web").catch(() => undefined))?.members.length === 1)
  const once = refused
  await run.cluster.advance("30m")
  expect([once > 0, refused]).toEqual([true, once])
})

test("pods whose group does not admit the balancer's subnet: an event names the missing rule", async () => {
  await using run = await testCluster()
  const { neutron } = clients(run)
  const group = run.cloud.seed.podSecurityGroup
  for (const { id, direction } of (await neutron.securityGroups.get(group)).security_group_rules)
    if (direction === "ingress") await neutron.securityGroupRules.delete(id)
  // The rules were read at the start, for default/kubernetes, and are believed for so long.
  await run.cluster.advance("5m")
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  await run.cluster.apply(testService("web"))
  await run.cluster.until(async () => (await stateOn(run, "web").catch(() => undefined))?.members.length === 1)
  await run.cluster.advance("10s")
  const rule = `openstack security group rule create --ingress --protocol tcp --dst-port 8080 --remote-ip 10.96.0.0/11 ${group}`
  expect(await eventMessages(run, "KuryrPodsUnreachable")).toContainEqual(expect.stringContaining(rule))
})

for (const [name, fault] of [
  ["403 by policy", { status: 403 }],
  ["500", { status: 500 }],
  ["no answer", { hang: true }],
] as const)
  test(`security groups cannot be read (${name}): the load balancer is made`, async () => {
    await using run = await withPod()
    // The rules were read at the start, for default/kubernetes, and are believed for so long.
    await run.cluster.advance("5m")
    let asked = 0
    run.cloud.fault = ({ verb, path }) => {
      if (verb !== "GET" || !path.startsWith("/v2.0/security-groups/")) return undefined
      asked++
      return fault
    }
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("3m")
    expect([(await stateOn(run, "web"))?.members.length, asked > 0]).toEqual([1, true])
    expect(run.kuryr().failed()).toEqual([])
  })

test("a pod deleted before its port is there: no port is left", async () => {
  await using run = await testCluster()
  run.cloud.knobs.latency = 3000
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.advance("1s")
  await run.cluster.client.delete(pods, "default/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.advance("1m")
  expect(podPorts(run)).toEqual([])
})

test("an agent that never wires a port: the pod gets an event after a minute, Neutron is polled ever more rarely, and it goes on when the agent is back", async () => {
  const metrics = memoryMetrics()
  await using run = await testCluster({ kuryr: { metrics } })
  run.cloud.knobs.portDelay = "never"
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.advance("50s")
  expect(await eventMessages(run, "KuryrPortNotActive")).toEqual([])
  await run.cluster.advance("10m")
  expect(await eventMessages(run, "KuryrPortNotActive")).toContainEqual(
    expect.stringMatching(
      /web-1: the port \S+ is DOWN, more than a minute after the pod came to node1; `openstack network agent list --host node1`/,
    ),
  )
  const before = run.cloud.calls.length
  await run.cluster.advance("10m")
  // Every 10 s: kuryr's own looks, and those of the pool.
  expect(run.cloud.calls.slice(before).filter(({ path }) => path === "/v2.0/ports").length).toBeLessThanOrEqual(70)
  const id = (await podVif(run, "web-1"))!.id
  run.cloud.neutron.ports.change(id, { status: "ACTIVE" })
  await run.cluster.advance("31s")
  expect((await podVif(run, "web-1"))?.active).toBe(true)
  await run.cluster.settled()
  expect(metrics.value("kuryr_pod_creation_latency")).toBe(1)
})

test("how long pods wait for their VIF is a metric, each pod once, and none that went before", async () => {
  const metrics = memoryMetrics()
  await using run = await testCluster({ kuryr: { metrics } })
  for (const name of ["web-1", "web-2", "gone"]) await run.cluster.apply(testPod(name))
  await run.cluster.client.delete(pods, "default/gone", { gracePeriodSeconds: 0 })
  await run.cluster.advance("1m")
  expect(metrics.value("kuryr_pod_creation_latency")).toBe(2)
  expect(metrics.text()).toMatch(/kuryr_pod_creation_latency_bucket\{le="1"\} 2/)
})
