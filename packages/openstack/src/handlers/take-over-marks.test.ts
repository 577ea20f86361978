import { type Endpoints, endpoints, services } from "@pilothouse/api/core/v1"
import { valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Connect } from "../clients/calls/keystone.ts"
import { type Marked, markDescription, markedOwner, markTags } from "../drivers/creation/cluster-marks.ts"
import { decodeState } from "../versioned-objects/annotations.ts"
import { stateAnnotation } from "./annotations.ts"
import { type TestCluster, testCluster, testService } from "./testing/cluster.ts"
import { crashPlay } from "./testing/crashes.ts"
import { clients, give, members, objectsWithEvent } from "./testing/faults.ts"
import { balancerChanges, kuryrsBalancer, kuryrsService } from "./testing/take-over.ts"

/** The load balancer, listeners and pools of a Service, in that order. */
function parts({ cloud: { octavia } }: TestCluster, name = "sv1"): readonly Marked[] {
  const balancers = octavia.balancers.where((one) => one.name === `default/${name}`)
  const isIts = ({ balancer }: { readonly balancer: string }) => balancers.some(({ id }) => id === balancer)
  return [...balancers, ...octavia.listeners.where(isIts), ...octavia.pools.where(isIts)]
}

async function serviceUid(run: TestCluster, name = "sv1"): Promise<string> {
  return (await run.cluster.client.get(services, `default/${name}`)).metadata.uid ?? ""
}

/** Between the handlers and a cloud that takes tags and forgets them. */
const forgetful =
  (inner: Connect): Connect =>
  (url, service) => {
    const transport = inner(url, service)
    const untagged = (value: unknown): unknown =>
      JSON.parse(JSON.stringify(value, (name, one: unknown) => (name === "tags" ? undefined : one)))
    return (request) => transport(request.body?.type === "value" ? { ...request, body: valueBody(untagged(request.body.value)) } : request)
  }

/** As kuryr writes what its resource_tags say. */
const kuryrsTag = "openshiftClusterID=one"

/** The Service is deleted while no controller runs: the next process has never seen it. */
async function goesUnseen(run: TestCluster): Promise<void> {
  run.cloud.fault = () => ({ status: 503 })
  await run.cluster.client.delete(services, "default/sv1")
  await run.cluster.advance("5s")
  run.cloud.fault = () => undefined
  await run.cluster.restartControllers()
  await run.cluster.advance("5m")
}

test("marks what kuryr left with its owner, beside its description; so it is deleted with its Service while no controller runs", async () => {
  await using run = await testCluster()
  await kuryrsService(run, await kuryrsBalancer(run, [kuryrsTag]))
  await run.cluster.advance("1m")
  const its = markTags({ cluster: "cluster-one" }, await serviceUid(run))
  expect(parts(run).map(({ tags }) => tags)).toEqual([[kuryrsTag, ...its], its, its])
  const reasons = run.cluster.trace
    .entries()
    .flatMap(({ plan }) => plan?.steps.flatMap(({ operations }) => operations) ?? [])
    .filter((operation) => operation.do === "mark-balancer")
    .map(({ reason }) => reason)
  expect(reasons).toEqual([expect.stringMatching(/^the load balancer default\/sv1, the listener \S+, the pool \S+: it is the Service's/)])
  await goesUnseen(run)
  expect(parts(run)).toEqual([])
})

test("lbaasv2, which has no tags: the descriptions have the marks, of what kuryr left and of what is created; it is deleted with its Service while no controller runs", async () => {
  await using run = await testCluster({ sections: { kubernetes: { endpoints_lbaas_driver: "lbaasv2" } } })
  await kuryrsService(run, await kuryrsBalancer(run))
  await run.cluster.apply(testService("own", { selector: undefined }))
  await give(run, "own", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "own")) === 1)
  await run.cluster.advance("1m")
  expect(parts(run).map(({ tags, description }) => [tags, markedOwner({ description })])).toEqual(
    Array.from({ length: 3 }, () => [[], expect.stringMatching(/./)]),
  )
  expect(new Set(parts(run).map(markedOwner))).toEqual(new Set([await serviceUid(run)]))
  const { balancers, listeners, pools } = run.cloud.octavia
  const own = [balancers, listeners, pools].flatMap((some) => [...some.rows.values()]).filter(({ name }) => name.startsWith("default/own"))
  expect(own.map(markedOwner)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/./)))
  expect(balancerChanges(run, 0).filter((call) => call.startsWith("PUT"))).toEqual(["PUT loadbalancers", "PUT listeners", "PUT pools"])
  await goesUnseen(run)
  expect(parts(run)).toEqual([])
})

test("what is made here says whose it is from its first moment, also a port that the Service gets later: no call is spent on it", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testService("sv1", { selector: undefined }))
  await give(run, "sv1", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "sv1")) === 1)
  const uid = await serviceUid(run)
  expect(parts(run).map(markedOwner)).toEqual([uid, uid, uid])
  const ports = [80, 81].map((port) => ({ name: `p${port}`, port, protocol: "TCP" as const }))
  await run.cluster.apply(testService("sv1", { selector: undefined, ports }))
  await run.cluster.apply<Endpoints>({ apiVersion: "v1", kind: "Endpoints", metadata: { namespace: "default", name: "sv1" }, subsets: [] })
  await run.cluster.advance("31m")
  expect(parts(run).map(markedOwner)).toEqual([uid, uid, uid, uid, uid])
  expect(balancerChanges(run, 0).filter((call) => !call.startsWith("PUT pools"))).toEqual([
    "POST loadbalancers",
    "POST listeners",
    "POST pools",
  ])
  expect(run.cloud.calls.filter(({ verb, path }) => verb === "PUT" && /\/pools\/[^/]+$/.test(path))).toEqual([])
})

test("one that is busy is left alone until it is not", async () => {
  await using run = await testCluster()
  const made = await kuryrsBalancer(run)
  const { id } = made
  run.cloud.octavia.balancers.change(id, { provisioning_status: "PENDING_UPDATE" })
  const from = run.cloud.calls.length
  await kuryrsService(run, made)
  await run.cluster.advance("2m")
  expect(balancerChanges(run, from)).toEqual([])
  run.cloud.octavia.balancers.change(id, { provisioning_status: "ACTIVE" })
  await run.cluster.advance("2m")
  expect(parts(run).map(markedOwner)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/./)))
})

test.each([501, 403, 400])("a provider that refuses marks (%s): the balancer is served unmarked, and not marked again", async (status) => {
  await using run = await testCluster()
  const made = await kuryrsBalancer(run)
  let asked = 0
  run.cloud.fault = ({ verb, path }) => (verb === "PUT" && path.startsWith("/v2/lbaas/loadbalancers/") && ++asked ? { status } : undefined)
  await kuryrsService(run, made)
  await run.cluster.advance("1m")
  await give(run, "sv1", "10.10.9.1")
  await run.cluster.advance("40m")
  const state = decodeState((await run.cluster.client.get(endpoints, "default/sv1")).metadata.annotations![stateAnnotation]!)
  expect([asked, state.members.length, parts(run).map(markedOwner)]).toEqual([1, 1, [undefined, undefined, undefined]])
  expect(await objectsWithEvent(run, "KuryrLoadBalancerFailed")).toEqual(new Set())
})

test("a cloud that does not store tags gets them once, and not at every reconcile", async () => {
  await using run = await testCluster({ layer: forgetful })
  const made = await kuryrsBalancer(run)
  await kuryrsService(run, made)
  await run.cluster.advance("1m")
  await give(run, "sv1", "10.10.9.1")
  await run.cluster.advance("10m")
  const asked = run.cloud.calls.filter(({ verb, path }) => verb === "PUT" && path === `/v2/lbaas/loadbalancers/${made.id}`)
  expect([asked.length, await members(run, "sv1"), await objectsWithEvent(run, "KuryrLoadBalancerFailed")]).toEqual([1, 1, new Set()])
})

test("an Octavia that knows no tags yet: the descriptions say it, of what kuryr left and of what is made, and nothing fails", async () => {
  await using run = await testCluster()
  run.cloud.knobs.octaviaMinor = 4
  await kuryrsService(run, await kuryrsBalancer(run))
  await run.cluster.apply(testService("own", { selector: undefined }))
  await give(run, "own", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "own")) === 1)
  await run.cluster.advance("1m")
  for (const name of ["sv1", "own"]) {
    const uid = await serviceUid(run, name)
    const said = parts(run, name).map(({ tags, description }) => [tags, markedOwner({ description })])
    expect(said, name).toEqual(Array.from({ length: 3 }, () => [[], uid]))
  }
  expect(await objectsWithEvent(run, "KuryrLoadBalancerFailed")).toEqual(new Set())
  await goesUnseen(run)
  expect(parts(run)).toEqual([])
})

test("a cloud that fails at every mark: the state is recorded all the same, and the mark is retried", async () => {
  await using run = await testCluster()
  const made = await kuryrsBalancer(run)
  run.cloud.fault = ({ verb, path }) => (verb === "PUT" && path.startsWith("/v2/lbaas/loadbalancers/") ? { status: 500 } : undefined)
  await kuryrsService(run, made)
  await run.cluster.advance("1m")
  await give(run, "sv1", "10.10.9.1")
  await run.cluster.advance("5m")
  expect([await members(run, "sv1"), await objectsWithEvent(run, "KuryrLoadBalancerFailed")]).toEqual([1, new Set(["sv1"])])
  run.cloud.fault = () => undefined
  await run.cluster.advance("31m")
  const uid = await serviceUid(run)
  expect(parts(run).map(markedOwner)).toEqual([uid, uid, uid])
})

test("marks a floating IP that kuryr took from the pool too: it stays when its load balancer is created again, and is deleted with its Service", async () => {
  await using run = await testCluster()
  const made = await kuryrsBalancer(run)
  const outside = { floating_network_id: run.cloud.seed.publicNetwork, port_id: made.vip_port_id, description: "kuryr_lb" }
  const { floating_ip_address } = await clients(run).neutron.floatingIps.create(outside)
  await kuryrsService(run, made, "LoadBalancer")
  await run.cluster.advance("1m")
  const floating = () => [...run.cloud.neutron.floatingIps.values()]
  const description = markDescription({ cluster: "cluster-one" }, await serviceUid(run))
  expect(floating()).toMatchObject([{ floating_ip_address, description, port_id: made.vip_port_id }])
  run.cloud.octavia.balancers.change(made.id, { provisioning_status: "ERROR" })
  await run.cluster.advance("15m")
  const [now] = run.cloud.octavia.balancers.where(({ name }) => name === "default/sv1")
  expect(floating()).toMatchObject([{ floating_ip_address, port_id: now?.vip_port_id }])
  expect(now?.id).not.toBe(made.id)
  await run.cluster.client.delete(services, "default/sv1")
  await run.cluster.advance("2m")
  expect(floating()).toEqual([])
})

test("restores removed tags at the next reconcile; a part that is marked for another owner is left alone", async () => {
  await using run = await testCluster()
  await kuryrsService(run, await kuryrsBalancer(run))
  await run.cluster.advance("1m")
  const [balancer, listener, pool] = [...run.cloud.octavia.balancers.rows.values()]
    .filter(({ name }) => name === "default/sv1")
    .flatMap(({ id }) => [
      id,
      ...run.cloud.octavia.listeners.where((one) => one.balancer === id).map((one) => one.id),
      ...run.cloud.octavia.pools.where((one) => one.balancer === id).map((one) => one.id),
    ])
  run.cloud.octavia.balancers.change(balancer!, { tags: [] })
  run.cloud.octavia.listeners.change(listener!, { tags: markTags({ cluster: "cluster-one" }, "theirs") })
  run.cloud.octavia.pools.change(pool!, { tags: ["pilothouse:cluster=cluster-two"] })
  const from = run.cloud.calls.length
  await run.cluster.advance("31m")
  expect(parts(run).map(markedOwner)).toEqual([await serviceUid(run), "theirs", undefined])
  expect(balancerChanges(run, from)).toEqual(["PUT loadbalancers"])
})

test("a process that dies at any change of a take-over, before or after it: the same load balancer, all of it marked, nothing made", async () => {
  const play = crashPlay(
    (layer) => testCluster({ layer, kuryr: { sweep: { every: "20s", grace: "20s" } } }),
    async (run) => {
      const made = await kuryrsBalancer(run)
      await kuryrsService(run, made)
      await run.cluster.advance("100s")
      const uid = await serviceUid(run)
      const its = run.cloud.octavia.balancers.where(({ name }) => name === "default/sv1")
      return [its.map(({ id }) => id === made.id), parts(run).map((one) => markedOwner(one) === uid)]
    },
  )
  const calm = await play(undefined)
  expect(calm.end).toEqual([[true], [true, true, true]])
  const changes = calm.calls.flatMap((words, call) => (words.startsWith("PUT ") ? [{ words, call }] : []))
  expect(changes.length).toBeGreaterThanOrEqual(3)
  for (const { words, call } of changes)
    for (const moment of ["before", "after"] as const) {
      const { end, calls } = await play({ call, moment })
      expect([calls[call], end], `${moment} call ${call}`).toEqual([words, calm.end])
    }
}, 60_000)
