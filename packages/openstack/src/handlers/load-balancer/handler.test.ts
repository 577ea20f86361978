import { endpoints, events, type Service, services } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { openStack } from "../../clients/cloud.ts"
import { decodeServiceSpec, decodeState } from "../../versioned-objects/annotations.ts"
import { specAnnotation, stateAnnotation } from "../annotations.ts"
import { readyPod, type TestCloudOptions, type TestCluster, testCluster, testPod, testService } from "../testing/cluster.ts"

/** Load balancers of the cloud in short: name, address, and listeners with their members. */
function trees({ cloud }: TestCluster) {
  const all = [...cloud.octavia.balancers.rows.values()].filter(({ name }) => name !== "default/kubernetes")
  return all.map(({ id, name, vip_address }) => ({ id, name, ip: vip_address }))
}

async function stateOn({ cluster }: TestCluster, name: string) {
  const text = (await cluster.client.get(endpoints, `default/${name}`)).metadata.annotations?.[stateAnnotation]
  return text === undefined ? undefined : decodeState(text)
}

async function served(run: TestCluster, name: string, members: number): Promise<void> {
  await run.cluster.until(async () => (await stateOn(run, name).catch(() => undefined))?.members.length === members)
}

async function withPods(count: number, options: Omit<TestCloudOptions, "clock"> = {}): Promise<TestCluster> {
  const run = await testCluster(options)
  for (let at = 1; at <= count; at++) await run.cluster.apply(testPod(`web-${at}`))
  for (let at = 1; at <= count; at++) await readyPod(run, `web-${at}`)
  return run
}

describe("a Service", () => {
  test("gets a load balancer at its address in one call, with its pods as members, named as kuryr names them", async () => {
    await using run = await withPods(2)
    const { spec } = await run.cluster.apply(testService("web"))
    await served(run, "web", 2)
    const state = await stateOn(run, "web")
    expect(state?.loadbalancer).toMatchObject({ name: "default/web", ip: spec?.clusterIP })
    expect(state?.listeners).toMatchObject([{ name: "default/web:TCP:80", protocol: "TCP", port: 80 }])
    expect(state?.members.map(({ name, port }) => `${name} ${port}`)).toEqual(["default/web-1:8080 8080", "default/web-2:8080 8080"])
    const writes = run.cloud.calls.filter(({ service, verb }) => service === "octavia" && verb !== "GET")
    expect(writes.map(({ verb, path, body }) => `${verb} ${path} ${nameIn(body)}`)).toEqual(
      ["kubernetes", "web"].map((name) => `POST /v2/lbaas/loadbalancers default/${name}`),
    )
  })

  test("has its specification on the Endpoints and on itself", async () => {
    await using run = await withPods(1)
    await run.cluster.apply(testService("web"))
    await served(run, "web", 1)
    const [one, other] = [await run.cluster.client.get(services, "default/web"), await run.cluster.client.get(endpoints, "default/web")]
    const text = one.metadata.annotations?.[specAnnotation]
    expect(text).toBe(other.metadata.annotations?.[specAnnotation])
    expect(decodeServiceSpec(text!)).toMatchObject({ ip: one.spec?.clusterIP, ports: [{ name: null, protocol: "TCP", port: 80 }] })
  })

  test("follows its pods with one call, to none and back", async () => {
    await using run = await withPods(2)
    await run.cluster.apply(testService("web"))
    await served(run, "web", 2)
    await run.cluster.client.patch(services, ref("web"), { spec: { selector: { app: "none" } } })
    await served(run, "web", 0)
    await run.cluster.client.patch(services, ref("web"), { spec: { selector: { app: "web" } } })
    await served(run, "web", 2)
    const puts = run.cloud.calls.filter(({ verb }) => verb === "PUT").filter(({ path }) => path.endsWith("/members"))
    expect(puts).toHaveLength(2)
  })

  test("with several ports to one target port, and UDP, has a listener and members for each", async () => {
    await using run = await withPods(1)
    const ports = [
      { name: "http", port: 80, targetPort: 8080, protocol: "TCP" },
      { name: "alt", port: 81, targetPort: 8080, protocol: "TCP" },
      { name: "dns", port: 53, targetPort: 5353, protocol: "UDP" },
    ]
    await run.cluster.apply(testService("web", { ports } as Partial<Service["spec"]>))
    await served(run, "web", 3)
    const state = await stateOn(run, "web")
    expect(state?.listeners.map(({ name }) => name)).toEqual(["default/web:TCP:80", "default/web:TCP:81", "default/web:UDP:53"])
    expect(new Set(state?.members.map(({ pool_id }) => pool_id)).size).toBe(3)
  })

  test("whose ports change keeps its load balancer", async () => {
    await using run = await withPods(1)
    await run.cluster.apply(testService("web"))
    await served(run, "web", 1)
    const before = trees(run)
    const ports = [
      { name: "a", port: 80, targetPort: 8080, protocol: "TCP" },
      { name: "b", port: 90, targetPort: 9090, protocol: "TCP" },
    ]
    await run.cluster.client.patch(services, ref("web"), { spec: { ports } })
    await served(run, "web", 2)
    expect(trees(run)).toEqual(before)
    expect((await stateOn(run, "web"))?.listeners.map(({ port }) => port)).toEqual([80, 90])
  })

  test("without a selector is served: members are named by their address", async () => {
    await using run = await testCluster()
    await run.cluster.apply(testService("outside", { selector: undefined }))
    const subsets = [{ addresses: [{ ip: "10.10.9.9" }], ports: [{ port: 8080, protocol: "TCP" }] }]
    await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "outside", namespace: "default" }, subsets } as never)
    await served(run, "outside", 1)
    expect((await stateOn(run, "outside"))?.members).toMatchObject([{ name: "10.10.9.9:8080", ip: "10.10.9.9" }])
  })

  test.each([
    ["headless", { clusterIP: "None" }],
    ["of type ExternalName", { type: "ExternalName", externalName: "example.org", selector: undefined, ports: undefined }],
  ])("that is %s is skipped", async (_, spec) => {
    await using run = await withPods(1)
    await run.cluster.apply(testService("web", spec as Partial<Service["spec"]>))
    await run.cluster.advance("30s")
    expect(trees(run)).toEqual([])
  })

  test("that goes takes its load balancer along", async () => {
    await using run = await withPods(1)
    await run.cluster.apply(testService("web"))
    await served(run, "web", 1)
    await run.cluster.client.delete(services, "default/web")
    await run.cluster.advance("20s")
    expect(trees(run)).toEqual([])
  })

  test("of type LoadBalancer gets a floating IP and says so in its status; both go with it, before it goes", async () => {
    await using run = await withPods(1)
    await run.cluster.apply(testService("web", { type: "LoadBalancer" }))
    await run.cluster.until(async () => (await run.cluster.client.get(services, "default/web")).status?.loadBalancer?.ingress !== undefined)
    const service = await run.cluster.client.get(services, "default/web")
    const [floating] = [...run.cloud.neutron.floatingIps.values()]
    expect(service.status?.loadBalancer?.ingress).toMatchObject([{ ip: floating?.floating_ip_address }])
    expect(service.metadata.finalizers).toEqual(["service.kubernetes.io/load-balancer-cleanup"])
    await run.cluster.client.delete(services, "default/web")
    await run.cluster.advance("20s")
    expect([
      trees(run),
      run.cloud.neutron.floatingIps.size,
      await run.cluster.list(services, { namespace: "default", fieldSelector: "metadata.name=web" }),
    ]).toEqual([[], 0, []])
  })

  test("with session affinity and source ranges has them on its pool and listener", async () => {
    await using run = await withPods(1)
    await run.cluster.apply(
      testService("web", { type: "LoadBalancer", sessionAffinity: "ClientIP", loadBalancerSourceRanges: ["10.0.0.0/8"] }),
    )
    await served(run, "web", 1)
    const post = run.cloud.calls.find(({ body, path }) => path.endsWith("/loadbalancers") && JSON.stringify(body)?.includes("default/web"))
    expect(JSON.stringify(post?.body)).toContain('"session_persistence":{"type":"SOURCE_IP"}')
    expect(JSON.stringify(post?.body)).toContain('"allowed_cidrs":["10.0.0.0/8"]')
  })

  test("is served from EndpointSlices too", async () => {
    await using run = await withPods(2, { kuryr: { source: "endpointslices" } })
    await run.cluster.apply(testService("web"))
    await served(run, "web", 2)
    expect(trees(run)).toHaveLength(1)
  })
})

describe("corrects changes in the cloud at the next reconcile", () => {
  test("a load balancer that was deleted is recreated", async () => {
    await using run = await withPods(1)
    await run.cluster.apply(testService("web"))
    await served(run, "web", 1)
    const [before] = trees(run)
    const { octavia } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
    await octavia.loadBalancers.delete(before!.id, { cascade: true })
    await run.cluster.advance("15m")
    const [after] = trees(run)
    expect(after?.id).not.toBe(before?.id)
    expect((await stateOn(run, "web"))?.loadbalancer?.id).toBe(after?.id)
  })

  test("creates one again that failed and is in ERROR", async () => {
    await using run = await withPods(1)
    run.cloud.knobs.loadBalancerFails = true
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("5s")
    run.cloud.knobs.loadBalancerFails = false
    await served(run, "web", 1)
    expect(trees(run)).toHaveLength(1)
  })
})

describe("reports what cannot be built, and builds the rest", () => {
  test("an address that is in use: an event on that Service, and the other one is served", async () => {
    await using run = await withPods(1)
    const { neutron } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
    const subnet = [...run.cloud.neutron.subnets.values()].find(({ name }) => name === "cluster-ips")
    const fixed_ips = [{ subnet_id: subnet?.id, ip_address: "10.96.7.7" }]
    await neutron.ports.create({ network_id: subnet!.network_id, name: "a virtual machine", fixed_ips })
    await run.cluster.apply(testService("taken", { clusterIP: "10.96.7.7" }))
    await run.cluster.apply(testService("web"))
    await served(run, "web", 1)
    await run.cluster.advance("10s")
    const reported = (await run.cluster.list(events, { namespace: "default" })).filter(({ reason }) => reason === "KuryrLoadBalancerFailed")
    expect(reported.map(({ involvedObject }) => involvedObject.name)).toEqual(["taken"])
    expect(reported[0]?.message).toContain("10.96.7.7")
  })

  test("in mode L2 an address outside the subnet of the pods is left out with an event", async () => {
    await using run = await testCluster({ sections: { octavia_defaults: { member_mode: "L2" } } })
    await run.cluster.apply(testService("mixed", { selector: undefined }))
    const subsets = [{ addresses: [{ ip: "10.10.9.9" }, { ip: "203.0.113.7" }], ports: [{ port: 8080, protocol: "TCP" }] }]
    await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: { name: "mixed", namespace: "default" }, subsets } as never)
    await served(run, "mixed", 1)
    await run.cluster.advance("10s")
    const reported = (await run.cluster.list(events, { namespace: "default" })).filter(({ reason }) => reason === "KuryrMemberSkipped")
    expect(reported.map(({ message }) => message)).toContainEqual(expect.stringContaining("203.0.113.7 is outside the subnet of the pods"))
  })

  test("a quota that is used up: an event, and the load balancer comes when there is room", async () => {
    await using run = await withPods(1)
    let refused = true
    run.cloud.fault = ({ verb, path, body }) =>
      refused && verb === "POST" && path.endsWith("/loadbalancers") && JSON.stringify(body).includes("default/web")
        ? { status: 403 }
        : undefined
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("20s")
    refused = false
    await served(run, "web", 1)
    expect(trees(run)).toHaveLength(1)
  })

  test("a load balancer that kuryr left, which says nothing of clusters, is adopted by its name and address", async () => {
    await using run = await withPods(1, { sections: { kubernetes: { enabled_handlers: "vif,lbaasspec,lb" } } })
    const { octavia } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
    const subnet = [...run.cloud.neutron.subnets.values()].find(({ name }) => name === "cluster-ips")
    const left = await octavia.loadBalancers.create({ name: "default/web", vip_subnet_id: subnet?.id, vip_address: "10.96.8.8" })
    await run.cluster.restartControllers()
    await run.cluster.apply(testService("web", { clusterIP: "10.96.8.8" }))
    await served(run, "web", 1)
    expect(trees(run).map(({ id }) => id)).toEqual([left.id])
  })
})

function nameIn(body: unknown): string {
  return (body as { loadbalancer: { name: string } }).loadbalancer.name
}

function ref(name: string) {
  return { apiVersion: "v1", kind: "Service", metadata: { namespace: "default", name } }
}
