import { endpoints, events, pods, type Service, services } from "@pilothouse/api/core/v1"
import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { isOfCluster, markedOwner } from "../drivers/creation/cluster-marks.ts"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { decodeState } from "../versioned-objects/annotations.ts"
import { specAnnotation, stateAnnotation } from "./annotations.ts"
import { podPorts, readyPod, type TestCloudOptions, type TestCluster, testCluster, testPod, testService } from "./testing/cluster.ts"

function clients(run: TestCluster) {
  return openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
}

function balancers({ cloud }: TestCluster) {
  return [...cloud.octavia.balancers.rows.values()].filter(({ name }) => name !== "default/kubernetes")
}

async function withPod(options: Omit<TestCloudOptions, "clock"> & Parameters<typeof testCluster>[0] = {}): Promise<TestCluster> {
  const run = await testCluster(options)
  await run.cluster.apply(testPod("web-1"))
  await readyPod(run, "web-1")
  return run
}

function serviceNow({ cluster }: TestCluster, name = "web"): Promise<Service> {
  return cluster.client.get(services, `default/${name}`)
}

async function eventMessages(run: TestCluster): Promise<readonly string[]> {
  const all = await run.cluster.list(events, { namespace: "default" })
  return all.filter(({ reason }) => reason?.startsWith("Kuryr")).map((one) => `${one.involvedObject.name} ${one.reason}: ${one.message}`)
}

async function addressOutside(run: TestCluster): Promise<string | undefined> {
  return (await serviceNow(run)).status?.loadBalancer?.ingress?.[0]?.ip
}

describe("what kinds of Services get", () => {
  test("a Service with a node port gets the load balancer of its cluster IP, and no address outside", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("web", { type: "NodePort" }))
    await run.cluster.advance("10s")
    expect(balancers(run).map(({ vip_address }) => vip_address)).toEqual([(await serviceNow(run)).spec?.clusterIP])
    expect([run.cloud.neutron.floatingIps.size, (await serviceNow(run)).metadata.finalizers]).toEqual([0, undefined])
  })

  test.each([
    ["headless", { clusterIP: "None" }, "a headless Service has no address to balance"],
    [
      "of type ExternalName",
      { type: "ExternalName", externalName: "example.org", selector: undefined, ports: undefined },
      "a Service of type ExternalName is only a name",
    ],
  ])("one that is %s is skipped, and an event says why", async (_, spec, why) => {
    await using run = await withPod()
    await run.cluster.apply(testService("web", spec as Partial<Service["spec"]>))
    await run.cluster.advance("30s")
    expect([balancers(run), await eventMessages(run)]).toEqual([[], [`web KuryrServiceSkipped: ${why}`]])
  })

  test("one whose address is outside the subnet of Services: an event that says what to compare, no load balancer, and pods go on", async () => {
    // The same seed: the same ids. Its subnet of Services is 10.20.0.0/16, and the API server gives addresses of 10.96.0.0/12.
    const { serviceSubnet } = new EmbeddedOpenStack({ clock: new VirtualClock(), random: seededRandom(11) }).seed
    await using run = await withPod({ sections: { neutron_defaults: { service_subnet: serviceSubnet } } })
    await run.cluster.apply(testService("web", { clusterIP: "10.97.0.9" }))
    await run.cluster.advance("10s")
    expect([balancers(run), podPorts(run).length]).toEqual([[], 1])
    expect(await eventMessages(run)).toContainEqual(
      "web KuryrAddressOutsideSubnet: the address 10.97.0.9 is outside the subnet of Services, 10.20.0.0/16; compare [neutron_defaults] service_subnet with --service-cluster-ip-range",
    )
    expect((await serviceNow(run)).metadata.annotations?.[specAnnotation]).toBeUndefined()
  })

  test("Endpoints of another Service's ports wait for the other half of the change, with a reason, and nothing is emptied", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("web", { selector: undefined, ports: [{ name: "http", port: 80, protocol: "TCP" }] }))
    const give = (name: string, port: number) =>
      run.cluster.apply({
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: { name: "web", namespace: "default" },
        subsets: [{ addresses: [{ ip: "10.10.9.9" }], ports: [{ name, port, protocol: "TCP" }] }],
      } as never)
    await give("http", 8080)
    await run.cluster.advance("10s")
    const membersNow = () => run.cloud.octavia.members.where(({ address }) => address === "10.10.9.9").map((one) => one.protocol_port)
    expect(membersNow()).toEqual([8080])
    await give("web", 9090)
    await run.cluster.advance("10s")
    expect(membersNow()).toEqual([8080])
    const reconciles = run.cluster.trace.entries().filter(({ controller, key }) => controller === "lb" && key === "default/web")
    expect(reconciles.at(-1)?.plan?.summary).toBe("the endpoints have the ports web, the Service has http")
    const spec = { ports: [{ name: "web", port: 80, protocol: "TCP" }] }
    await run.cluster.client.patch(services, { metadata: { namespace: "default", name: "web" } }, { spec })
    await run.cluster.advance("10s")
    expect(membersNow()).toEqual([9090])
  })

  test("slices as the source and no Endpoints of that name: both annotations are on the Service", async () => {
    await using run = await withPod({ kuryr: { source: "endpointslices" }, cluster: { controllers: ["endpointslice"] } })
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("10s")
    const { annotations = {} } = (await serviceNow(run)).metadata
    expect(decodeState(annotations[stateAnnotation]!).members.map(({ name }) => name)).toEqual(["default/web-1:8080"])
    expect(annotations[specAnnotation]).toBeDefined()
    expect((await run.cluster.list(endpoints, { namespace: "default" })).filter(({ metadata }) => metadata.name === "web")).toEqual([])
  })
})

describe("the floating IP that a Service asks for", () => {
  async function made(run: TestCluster, floating_ip_address: string) {
    return clients(run).neutron.floatingIps.create({ floating_network_id: run.cloud.seed.publicNetwork, floating_ip_address })
  }

  test("is attached if it is free, and only detached when the Service is deleted", async () => {
    await using run = await withPod()
    const own = await made(run, "172.24.4.77")
    await run.cluster.apply(testService("web", { type: "LoadBalancer", loadBalancerIP: "172.24.4.77" }))
    await run.cluster.until(async () => (await addressOutside(run)) === "172.24.4.77")
    expect(run.cloud.neutron.floatingIps.size).toBe(1)
    await run.cluster.client.delete(services, "default/web")
    await run.cluster.advance("20s")
    expect(run.cloud.neutron.floatingIps.find(own.id)).toMatchObject({ port_id: null })
  })

  test("is refused with an event where there is none, and attached once it exists", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("web", { type: "LoadBalancer", loadBalancerIP: "172.24.4.78" }))
    await run.cluster.advance("20s")
    expect(await eventMessages(run)).toContainEqual(
      expect.stringMatching(/web KuryrLoadBalancerFailed: .*expected the floating IP 172\.24\.4\.78/),
    )
    await made(run, "172.24.4.78")
    await run.cluster.advance("4m")
    expect(await addressOutside(run)).toBe("172.24.4.78")
  })

  test("is not detached from another port", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("first", { type: "LoadBalancer" }))
    await run.cluster.until(async () => (await serviceNow(run, "first")).status?.loadBalancer?.ingress !== undefined)
    const taken = (await serviceNow(run, "first")).status?.loadBalancer?.ingress?.[0]?.ip
    await run.cluster.apply(testService("web", { type: "LoadBalancer", loadBalancerIP: taken }))
    await run.cluster.advance("20s")
    expect(await eventMessages(run)).toContainEqual(expect.stringContaining(`the floating IP ${taken} is used by another port`))
    expect((await serviceNow(run, "first")).status?.loadBalancer?.ingress?.[0]?.ip).toBe(taken)
    expect(await addressOutside(run)).toBeUndefined()
  })
})

describe("nothing hangs, nothing is orphaned", () => {
  test("pods, Endpoints and Services with a cluster IP carry no finalizer: with the handlers away they can go", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("10s")
    const all = [
      await run.cluster.client.get(pods, "default/web-1"),
      await run.cluster.client.get(endpoints, "default/web"),
      await serviceNow(run),
    ]
    expect(all.map(({ metadata }) => metadata.finalizers ?? [])).toEqual([[], [], []])
  })

  test("every cloud object says of which cluster and of whom it is", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("web", { type: "LoadBalancer" }))
    await run.cluster.until(async () => (await addressOutside(run)) !== undefined)
    const pod = (await run.cluster.client.get(pods, "default/web-1")).metadata.uid
    const service = (await serviceNow(run)).metadata.uid
    const [port] = podPorts(run)
    const [balancer] = balancers(run)
    const [floating] = [...run.cloud.neutron.floatingIps.values()]
    const clusterMarks = { cluster: "cluster-one" }
    expect([port, balancer, floating].map((one) => isOfCluster(one!, clusterMarks))).toEqual([true, true, true])
    expect([port, balancer, floating].map((one) => markedOwner(one!))).toEqual([pod, service, service])
  })

  test("a Service that is deleted while no handler runs: its load balancer is found by owner and removed", async () => {
    await using run = await withPod()
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("10s")
    run.cloud.fault = ({ service }) => (service === "octavia" ? { status: 503 } : undefined)
    await run.cluster.client.delete(services, "default/web")
    await run.cluster.advance("5s")
    run.cloud.fault = () => undefined
    await run.cluster.restartControllers()
    await run.cluster.advance("20m")
    expect(balancers(run)).toEqual([])
  })

  test.each([
    ["a member", ({ octavia }: TestCluster["cloud"]) => octavia.members.rows],
    ["a pool", ({ octavia }: TestCluster["cloud"]) => octavia.pools.rows],
    ["a listener", ({ octavia }: TestCluster["cloud"]) => octavia.listeners.rows],
  ])("creates %s again that was deleted in the cloud", async (_, rows) => {
    await using run = await withPod()
    await run.cluster.apply(testService("web"))
    await run.cluster.advance("10s")
    const count = () => [run.cloud.octavia.listeners, run.cloud.octavia.pools, run.cloud.octavia.members].map(({ rows: all }) => all.size)
    const before = count()
    const [one] = [...rows(run.cloud).values()].filter(({ name }) => name.startsWith("default/web"))
    rows(run.cloud).delete(one!.id)
    for (const { id } of run.cloud.octavia.members.where(({ pool }) => pool === one!.id)) run.cloud.octavia.members.rows.delete(id)
    for (const listener of run.cloud.octavia.listeners.where(({ default_pool_id }) => default_pool_id === one!.id))
      run.cloud.octavia.listeners.change(listener.id, { default_pool_id: null })
    await run.cluster.advance("15m")
    expect(count()[2]).toBe(before[2])
    expect(run.cloud.octavia.members.where(({ name }) => name === "default/web-1:8080")).toHaveLength(1)
  })
})

test("enabled_handlers names those that run, one of the user's own among them; an unknown name is refused with those there are", async () => {
  const seen: string[] = []
  const own = {
    name: "audit",
    of: pods,
    onAdded: ({ key }: { readonly key: string }) => {
      seen.push(key)
      return { steps: [], events: [], waitingFor: [], summary: "seen" }
    },
  }
  const handlers = { audit: () => own as never }
  await using run = await testCluster({ sections: { kubernetes: { enabled_handlers: "vif,audit" } }, kuryr: { handlers } })
  await run.cluster.apply(testPod("web-1"))
  await run.cluster.apply(testService("web"))
  await run.cluster.advance("10s")
  expect([seen, podPorts(run).length, run.cloud.octavia.balancers.rows.size]).toEqual([["default/web-1"], 1, 0])
  await expect(testCluster({ sections: { kubernetes: { enabled_handlers: "vif,audti" } } })).rejects.toThrow(
    /enabled_handlers: expected some of vif, lbaasspec, lb, found audti/,
  )
})
