import { endpoints, events, namespaces, pods, services } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import type { EmbeddedCall, EmbeddedFault } from "../embedded/faults.ts"
import { decodeState } from "../versioned-objects/annotations.ts"
import { stateAnnotation } from "./annotations.ts"
import { podOf, podPorts, serviceOf, type TestCluster, testCluster, vifOf } from "./test-cloud.ts"

function clients(run: TestCluster) {
  return openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
}

async function told(run: TestCluster, reason: string): Promise<ReadonlySet<string>> {
  const all = await run.cluster.list(events, { namespace: "default" })
  return new Set(all.filter((one) => one.reason === reason).map(({ involvedObject }) => involvedObject.name ?? ""))
}

async function words(run: TestCluster, reason: string): Promise<readonly string[]> {
  return (await run.cluster.list(events, { namespace: "default" }))
    .filter((one) => one.reason === reason)
    .map(({ message = "" }) => message)
}

async function members(run: TestCluster, name: string): Promise<number | undefined> {
  const found = (await run.cluster.list(endpoints, { namespace: "default" })).find(({ metadata }) => metadata.name === name)
  const text = found?.metadata.annotations?.[stateAnnotation]
  return text === undefined ? undefined : decodeState(text).members.length
}

/** Endpoints of a Service without selector. */
async function give(run: TestCluster, name: string, ...addresses: readonly string[]): Promise<void> {
  const subsets = [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ port: 8080, protocol: "TCP" }] }]
  await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: { name, namespace: "default" }, subsets } as never)
}

/** A cluster with a pod and a Service that are served, and that must not notice what happens to others. */
async function withOthers(): Promise<TestCluster> {
  const run = await testCluster()
  await run.cluster.apply(podOf("other"))
  await run.cluster.until(async () => (await vifOf(run, "other"))?.active === true)
  await run.cluster.apply(serviceOf("other", { selector: undefined }))
  await give(run, "other", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "other")) === 1)
  return run
}

async function othersUnaffected(run: TestCluster): Promise<void> {
  const since = run.cluster.clock.elapsed()
  const before = (await members(run, "other")) ?? 0
  await give(run, "other", ...Array.from({ length: before + 1 }, (_, at) => `10.10.9.${at + 1}`))
  await run.cluster.until(async () => (await members(run, "other")) === before + 1)
  expect(run.cluster.clock.elapsed() - since).toBeLessThan(5000)
  expect((await vifOf(run, "other"))?.active).toBe(true)
}

/** When such calls came, in milliseconds of virtual time, and what is answered. */
function failing(run: TestCluster, isOne: (call: EmbeddedCall) => boolean, fault: EmbeddedFault | undefined): readonly number[] {
  const at: number[] = []
  run.cloud.fault = (call) => {
    if (!isOne(call)) return undefined
    at.push(run.cluster.clock.elapsed())
    return fault
  }
  return at
}

function gaps(times: readonly number[]): readonly number[] {
  return times.slice(1).map((time, at) => time - times[at]!)
}

const portOf = (name: string) => (call: EmbeddedCall) =>
  call.verb === "POST" && call.path === "/v2.0/ports" && JSON.stringify(call.body).includes(`"name":"${name}"`)
const balancerOf = (name: string) => (call: EmbeddedCall) =>
  call.verb === "POST" && call.path.endsWith("/loadbalancers") && JSON.stringify(call.body).includes(`"default/${name}"`)

/** What makes the ports of this pod impossible, and what makes them possible again. */
interface PortTrouble {
  readonly fault?: EmbeddedFault
  begin?(run: TestCluster): Promise<void>
  end?(run: TestCluster): Promise<void>
  readonly says: RegExp
}

const portTroubles: Readonly<Record<string, PortTrouble>> = {
  "Neutron answers 500": { fault: { status: 500 }, says: /no port for the pod: POST \S+ answered 500/ },
  "Neutron does not answer": { fault: { hang: true }, says: /no port for the pod: .*60/ },
  "the connection breaks": { fault: { loseRequest: true }, says: /no port for the pod: / },
  "the quota of ports is used up": {
    async begin(run) {
      const { neutron } = clients(run)
      await neutron.setQuota(run.cloud.seed.project, { port: (await neutron.quota(run.cloud.seed.project)).port!.used })
    },
    end: (run) => clients(run).neutron.setQuota(run.cloud.seed.project, { port: -1 }),
    says: /no port for the pod: .*[Qq]uota/,
  },
  "the subnet has no address left": {
    async begin({ cloud }) {
      cloud.neutron.subnets.change(cloud.seed.podSubnet, { allocation_pools: [] })
    },
    async end({ cloud }) {
      cloud.neutron.subnets.change(cloud.seed.podSubnet, { allocation_pools: [{ start: "10.10.5.1", end: "10.10.5.9" }] })
    },
    says: /no port for the pod: .*No more IP addresses/,
  },
  "the node has no agent": {
    async begin({ cloud }) {
      cloud.knobs.hosts = ["node2"]
    },
    async end({ cloud }) {
      cloud.knobs.hosts = "any"
    },
    says: /Neutron has not bound the port \S+ to node1 \(binding_failed\); `openstack network agent list --host node1`/,
  },
}

describe("a pod that gets no port", () => {
  test.each(Object.entries(portTroubles))(
    "%s: told on it, tried again with backoff until the deadline, and others go on",
    async (_, trouble) => {
      await using run = await withOthers()
      await trouble.begin?.(run)
      const tries = failing(run, portOf("unlucky"), trouble.fault)
      await run.cluster.apply(podOf("unlucky"))
      await run.cluster.advance("20s")
      await othersUnaffected(run)
      await run.cluster.advance("5m")
      // 3 s; 3 to 9 s; 3 to 21 s … for three minutes: never more than 60, and in fact about ten.
      expect(Math.min(...gaps(tries))).toBeGreaterThanOrEqual(3000)
      expect(tries.length).toBeGreaterThan(2)
      expect(tries.length).toBeLessThan(20)
      expect(await told(run, "KuryrPortFailed")).toEqual(new Set(["unlucky"]))
      expect((await words(run, "KuryrPortFailed"))[0]).toMatch(trouble.says)
      expect(run.kuryr().failed()).toMatchObject([{ handler: "vif", key: "default/unlucky" }])
      expect(podPorts(run).map(({ name }) => name)).toEqual(["other"])
      await trouble.end?.(run)
      run.cloud.fault = () => undefined
      await run.cluster.advance("11m")
      expect((await vifOf(run, "unlucky"))?.active).toBe(true)
      expect([run.kuryr().failed(), podPorts(run).length]).toEqual([[], 2])
    },
  )

  test("Neutron was away before the handlers began: each pod is told so, and served when it is back", async () => {
    await using run = await withOthers()
    run.cloud.fault = ({ service }) => (service === "neutron" ? { status: 503 } : undefined)
    await run.cluster.restartLoops()
    await run.cluster.apply(podOf("new"))
    await run.cluster.advance("5m")
    expect(await told(run, "KuryrPortFailed")).toContain("new")
    expect(await words(run, "KuryrPortFailed")).toContainEqual(expect.stringMatching(/^the cloud cannot be asked: .*503/))
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    expect((await vifOf(run, "new"))?.active).toBe(true)
    await othersUnaffected(run)
  })
})

describe("a Service that gets no load balancer", () => {
  test.each([
    ["Octavia answers 500", { status: 500 }],
    ["its quota is used up", { status: 403 }],
    ["the connection breaks", { loseRequest: true }],
  ] as const)("%s: told on it, tried again with backoff until the deadline, and others go on", async (_, fault) => {
    await using run = await withOthers()
    const tries = failing(run, balancerOf("unlucky"), fault)
    await run.cluster.apply(serviceOf("unlucky"))
    await run.cluster.advance("20s")
    await othersUnaffected(run)
    await run.cluster.advance("5m")
    // Its own annotations and Endpoints are events, and are answered at once; from then on nothing happens to it.
    const quiet = tries.filter((time) => time > tries[0]! + 100)
    expect(Math.min(...gaps(quiet))).toBeGreaterThanOrEqual(3000)
    expect(quiet.length).toBeGreaterThan(2)
    expect(tries.length).toBeLessThan(20)
    expect(await told(run, "KuryrLoadBalancerFailed")).toEqual(new Set(["unlucky"]))
    expect(run.kuryr().failed()).toMatchObject([{ handler: "lb", key: "default/unlucky" }])
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    // It is there, and no pod is ready.
    expect([await members(run, "unlucky"), run.kuryr().failed()]).toEqual([0, []])
  })

  test("Octavia is away: it is told, and members follow when it is back", async () => {
    await using run = await withOthers()
    run.cloud.fault = ({ service }) => (service === "octavia" ? { status: 503 } : undefined)
    await give(run, "other", "10.10.9.1", "10.10.9.2")
    await run.cluster.advance("5m")
    expect(await told(run, "KuryrLoadBalancerFailed")).toContain("other")
    expect(await members(run, "other")).toBe(1)
    run.cloud.fault = () => undefined
    await run.cluster.advance("11m")
    expect(await members(run, "other")).toBe(2)
  })

  test("Octavia's work fails for ten minutes: never two load balancers, each in ERROR is removed first, and it is whole in the end", async () => {
    await using run = await withOthers()
    const tries = failing(run, balancerOf("web"), undefined)
    run.cloud.knobs.loadBalancerFails = true
    await run.cluster.apply(serviceOf("web", { selector: undefined }))
    await give(run, "web", "10.10.9.9")
    let most = 0
    for (let second = 0; second < 600; second += 5) {
      await run.cluster.advance("5s")
      most = Math.max(most, [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/web").length)
    }
    expect([most, tries.length < 20]).toEqual([1, true])
    expect((await words(run, "KuryrLoadBalancerFailed")).join(" ")).toContain("ERROR")
    run.cloud.knobs.loadBalancerFails = false
    await run.cluster.advance("11m")
    expect(await members(run, "web")).toBe(1)
  })

  test("one that is stuck in PENDING is looked at ever more rarely, told after five minutes, and continued when somebody helps", async () => {
    await using run = await withOthers()
    const stuck = [...run.cloud.octavia.balancers.rows.values()].find(({ name }) => name === "default/other")!
    run.cloud.octavia.balancers.change(stuck.id, { provisioning_status: "PENDING_UPDATE" })
    await run.cluster.restartLoops()
    await give(run, "other", "10.10.9.1", "10.10.9.2")
    await run.cluster.advance("6m")
    expect(await told(run, "KuryrLoadBalancerStuck")).toEqual(new Set(["other"]))
    expect((await words(run, "KuryrLoadBalancerStuck"))[0]).toContain(`${stuck.id} is PENDING_UPDATE, for 5 minutes`)
    const before = run.cloud.calls.length
    await run.cluster.advance("20m")
    const looks = run.cloud.calls.slice(before).filter(({ path }) => path.endsWith(`/loadbalancers/${stuck.id}`))
    expect(looks.length).toBeLessThanOrEqual(30)
    run.cloud.octavia.balancers.change(stuck.id, { provisioning_status: "ERROR" })
    await run.cluster.advance("2m")
    expect(await members(run, "other")).toBe(2)
    expect(run.cloud.octavia.balancers.rows.has(stuck.id)).toBe(false)
  })
})

test("a Service that is deleted while its load balancer takes no changes: the load balancer goes as soon as it does", async () => {
  await using run = await withOthers()
  const { octavia } = clients(run)
  const mine = () => [...run.cloud.octavia.balancers.rows.values()].filter(({ name }) => name === "default/other")
  run.cloud.knobs.loadBalancerDelay = 30_000
  await octavia.loadBalancers.update(mine()[0]!.id, { description: "somebody is at it" })
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
  const pod = podOf("web-1")
  await run.cluster.apply({ ...pod, metadata: { ...pod.metadata, namespace: "mine" } })
  const service = serviceOf("web")
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
