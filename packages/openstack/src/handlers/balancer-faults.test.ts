import { namespaces, pods, services } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { specAnnotation } from "./annotations.ts"
import { podPorts, testCluster, testPod, testService } from "./testing/cluster.ts"
import {
  clients,
  createsBalancer,
  eventMessages,
  expectFault,
  expectReady,
  failing,
  gaps,
  give,
  members,
  objectsWithEvent,
  othersUnaffected,
  withOthers,
} from "./testing/faults.ts"

describe("a Service that gets no load balancer", () => {
  test.each([
    ["Octavia answers 500", { status: 500 }],
    ["its quota is used up", { status: 403 }],
    ["the connection breaks", { loseRequest: true }],
  ] as const)("%s: told on it, tried again with backoff until the deadline, and others go on", async (_, fault) => {
    await using run = await withOthers()
    const tries = failing(run, createsBalancer("unlucky"), fault)
    await run.cluster.apply(testService("unlucky"))
    await run.cluster.advance("20s")
    await othersUnaffected(run)
    await run.cluster.advance("5m")
    // Its own annotations and Endpoints are events, and are answered at once; from then on nothing happens to it.
    const quiet = tries.filter((time) => time > tries[0]! + 100)
    const [first, ...more] = gaps(quiet)
    expect([first! >= 1000, Math.min(...more) >= 3000]).toEqual([true, true])
    expect(quiet.length).toBeGreaterThan(2)
    expect(tries.length).toBeLessThan(20)
    expect(await objectsWithEvent(run, "KuryrLoadBalancerFailed")).toEqual(new Set(["unlucky"]))
    await expectFault(run, { handler: "lb", name: "unlucky", reason: "KuryrLoadBalancerFailed", says: /create-balancer failed: / })
    expect(run.kuryr().failed()).toMatchObject([{ handler: "lb", key: "default/unlucky" }])
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    // It is there, and no pod is ready.
    expect([await members(run, "unlucky"), run.kuryr().failed()]).toEqual([0, []])
    await expectReady(run, "lb", "unlucky")
  })

  test("Octavia is away: an event says so, and members follow when it is back", async () => {
    await using run = await withOthers()
    run.cloud.fault = ({ service }) => (service === "octavia" ? { status: 503 } : undefined)
    await give(run, "other", "10.10.9.1", "10.10.9.2")
    await run.cluster.advance("5m")
    await expectFault(run, { handler: "lb", name: "other", reason: "KuryrLoadBalancerFailed", says: /503/ })
    expect(await members(run, "other")).toBe(1)
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    expect(await members(run, "other")).toBe(2)
    await expectReady(run, "lb", "other")
  })

  test("Octavia's work fails for ten minutes: never two load balancers, each in ERROR is removed first, and it is whole in the end", async () => {
    await using run = await withOthers()
    const tries = failing(run, createsBalancer("web"), undefined)
    run.cloud.knobs.loadBalancerFails = true
    await run.cluster.apply(testService("web", { selector: undefined }))
    await give(run, "web", "10.10.9.9")
    let max = 0
    for (let second = 0; second < 600; second += 5) {
      await run.cluster.advance("5s")
      max = Math.max(max, [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/web").length)
    }
    expect([max, tries.length < 20]).toEqual([1, true])
    await expectFault(run, { handler: "lb", name: "web", reason: "KuryrLoadBalancerFailed", says: /ERROR/ })
    run.cloud.knobs.loadBalancerFails = false
    await run.cluster.advance("11m")
    expect(await members(run, "web")).toBe(1)
    await expectReady(run, "lb", "web")
  })

  test("one that is stuck in PENDING is read ever more rarely, reported after five minutes, and continued after help", async () => {
    await using run = await withOthers()
    const stuck = [...run.cloud.octavia.balancers.rows.values()].find(({ name }) => name === "default/other")!
    run.cloud.octavia.balancers.change(stuck.id, { provisioning_status: "PENDING_UPDATE" })
    await run.cluster.restartControllers()
    await give(run, "other", "10.10.9.1", "10.10.9.2")
    await run.cluster.advance("6m")
    const says = new RegExp(`${stuck.id} is PENDING_UPDATE, for more than 5 minutes`)
    await expectFault(run, { handler: "lb", name: "other", reason: "KuryrLoadBalancerStuck", says })
    const written = (await run.cluster.client.get(services, "default/other")).metadata.resourceVersion
    const before = run.cloud.calls.length
    await run.cluster.advance("20m")
    const reads = run.cloud.calls.slice(before).filter(({ path }) => path.endsWith(`/loadbalancers/${stuck.id}`))
    expect(reads.length).toBeLessThanOrEqual(30)
    expect((await run.cluster.client.get(services, "default/other")).metadata.resourceVersion).toBe(written)
    run.cloud.octavia.balancers.change(stuck.id, { provisioning_status: "ERROR" })
    await run.cluster.advance("2m")
    expect(await members(run, "other")).toBe(2)
    expect(run.cloud.octavia.balancers.rows.has(stuck.id)).toBe(false)
    await expectReady(run, "lb", "other")
  })

  test("the answer is lost with the work done: told, found again, never a second load balancer, and others go on", async () => {
    await using run = await withOthers()
    let lost = 0
    run.cloud.fault = (call) => (createsBalancer("unlucky")(call) && lost++ === 0 ? { loseAnswer: true } : undefined)
    await run.cluster.apply(testService("unlucky", { selector: undefined }))
    await run.cluster.advance("500ms")
    await expectFault(run, { handler: "lb", name: "unlucky", reason: "KuryrLoadBalancerFailed", says: /create-balancer failed: / })
    await othersUnaffected(run)
    await run.cluster.advance("1m")
    await expectReady(run, "lb", "unlucky")
    const mine = [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/unlucky")
    expect([lost, mine.length]).toEqual([1, 1])
  })

  test.each([
    ["is deleted behind our back", "KuryrLoadBalancerGone", /the load balancer \S+ is gone from the cloud; another is made/],
    ["turns to ERROR", "KuryrLoadBalancerInError", /the load balancer \S+ is in ERROR; it is created again/],
  ] as const)("one that %s: reported, created again at the next reconcile, and others go on", async (how, reason, says) => {
    await using run = await withOthers()
    await run.cluster.apply(testService("web", { selector: undefined }))
    await give(run, "web", "10.10.9.7")
    await run.cluster.until(async () => (await members(run, "web")) === 1)
    const mine = () => [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/web")
    const before = mine()[0]!.id
    if (how === "turns to ERROR") run.cloud.octavia.balancers.change(before, { provisioning_status: "ERROR" })
    else await clients(run).octavia.loadBalancers.delete(before, { cascade: true })
    run.cloud.knobs.loadBalancerDelay = 20_000
    await run.cluster.until(async () => (await objectsWithEvent(run, reason)).has("web"))
    run.cloud.knobs.loadBalancerDelay = 1000
    await othersUnaffected(run)
    expect(await eventMessages(run, reason)).toContainEqual(expect.stringMatching(says))
    await run.cluster.advance("1m")
    expect([mine().length, mine()[0]?.id === before, await members(run, "web")]).toEqual([1, false, 1])
    await expectReady(run, "lb", "web")
  })
})

describe("a Service of which something cannot be served", () => {
  test("an address that a gateway or a virtual machine holds: told and tried again with backoff, the others are served", async () => {
    await using run = await withOthers()
    const subnet = [...run.cloud.neutron.subnets.values()].find(({ name }) => name === "cluster-ips")
    const fixed_ips = [{ subnet_id: subnet?.id, ip_address: "10.96.7.7" }]
    const vm = await clients(run).neutron.ports.create({ network_id: subnet!.network_id, name: "a virtual machine", fixed_ips })
    const tries = failing(run, createsBalancer("taken"), undefined)
    await run.cluster.apply(testService("taken", { clusterIP: "10.96.7.7", selector: undefined }))
    await run.cluster.advance("5m")
    await expectFault(run, { handler: "lb", name: "taken", reason: "KuryrLoadBalancerFailed", says: /10\.96\.7\.7/ })
    const [first, ...more] = gaps(tries.filter((time) => time > tries[0]! + 100))
    expect([first! >= 1000, Math.min(...more) >= 3000]).toEqual([true, true])
    expect(tries.length).toBeLessThan(20)
    await othersUnaffected(run)
    await clients(run).neutron.ports.delete(vm.id)
    await run.cluster.advance("11m")
    await expectReady(run, "lb", "taken")
  })

  test("a member outside every configured subnet: told, the rest is built, and all is well when it goes", async () => {
    await using run = await withOthers({ sections: { octavia_defaults: { member_mode: "L2" } } })
    await run.cluster.apply(testService("mixed", { selector: undefined }))
    await give(run, "mixed", "10.10.9.8", "203.0.113.7")
    await run.cluster.until(async () => (await members(run, "mixed")) === 1)
    await run.cluster.advance("10s")
    const says = /not a member: 203\.0\.113\.7 is outside the subnet of the pods/
    await expectFault(run, { handler: "lb", name: "mixed", reason: "KuryrMemberSkipped", says })
    await othersUnaffected(run)
    await give(run, "mixed", "10.10.9.8")
    await run.cluster.advance("10s")
    await expectReady(run, "lb", "mixed")
  })

  test("an edited annotation: reported, not overwritten, members still follow, and written again when it is removed", async () => {
    await using run = await withOthers()
    const edit = (text: string | null) =>
      run.cluster.client.patch(
        services,
        { metadata: { namespace: "default", name: "other" } },
        { metadata: { annotations: { [specAnnotation]: text } } },
      )
    const right = (await run.cluster.client.get(services, "default/other")).metadata.annotations?.[specAnnotation]
    await edit("not even JSON")
    await run.cluster.advance("1m")
    const says = /kuryr-lbaas-spec of the Service default\/other cannot be read: .*mend or remove it/
    await expectFault(run, { handler: "lbaasspec", name: "other", reason: "KuryrLoadBalancerFailed", says })
    await othersUnaffected(run)
    await edit(null)
    await run.cluster.advance("1m")
    expect((await run.cluster.client.get(services, "default/other")).metadata.annotations?.[specAnnotation]).toBe(right)
    await expectReady(run, "lbaasspec", "other")
  })
})

test("a Service that is deleted while its load balancer takes no changes: the load balancer goes as soon as it does", async () => {
  await using run = await withOthers()
  const { octavia } = clients(run)
  const mine = () => [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/other")
  run.cloud.knobs.loadBalancerDelay = 30_000
  await octavia.loadBalancers.update(mine()[0]!.id, { description: "changed by another client" })
  await run.cluster.client.delete(services, "default/other")
  await run.cluster.advance("20s")
  expect(mine()).toHaveLength(1)
  run.cloud.knobs.loadBalancerDelay = 1000
  await run.cluster.advance("1m")
  expect(mine()).toEqual([])
})

test("a namespace that goes with the labels by which it was ours: its ports and load balancers go too", async () => {
  await using run = await testCluster({ kuryr: { select: { namespaces: "served=yes" } } })
  const metadata = { name: "mine", labels: { served: "yes" } }
  await run.cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata })
  const pod = testPod("web-1")
  await run.cluster.apply({ ...pod, metadata: { ...pod.metadata, namespace: "mine" } })
  const service = testService("web")
  await run.cluster.apply({ ...service, metadata: { ...service.metadata, namespace: "mine" } })
  await run.cluster.advance("10s")
  const left = () => [podPorts(run).length, run.cloud.octavia.balancers.rows.size]
  expect(left()).toEqual([1, 1])
  await run.cluster.client.patch(namespaces, { metadata: { name: "mine" } }, { metadata: { labels: { served: "no" } } })
  await run.cluster.client.delete(pods, "mine/web-1", { gracePeriodSeconds: 0 })
  await run.cluster.client.delete(services, "mine/web")
  await run.cluster.advance("10s")
  expect(left()).toEqual([0, 0])
})
