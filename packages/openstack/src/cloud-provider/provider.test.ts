import { type ContractFault, contractNode, contractService, providerContract } from "@pilothouse/cloud/contract"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import type { EmbeddedFault, EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { createRouter } from "../embedded/neutron/routers.ts"
import { removeRows } from "../embedded/octavia/load-balancers.ts"
import { testCloud } from "../embedded/testing/cloud.ts"
import { openStackProvider } from "./load-balancers.ts"
import { movingTime, nodeAt, providerWith, serviceWith } from "./testing/provider.ts"

const faults: Readonly<Record<ContractFault, EmbeddedFault>> = {
  fail: { status: 503 },
  hang: { hang: true },
  "lose-answer": { loseAnswer: true },
}

/** Each cluster has a router of its own: the extra routes of a router are those of one cluster. */
function cloudWithProviders() {
  const { embedded, clock, connect, access } = testCloud()
  const other = createRouter(embedded.neutron, { name: "two" }, embedded.seed.project).id
  const provider = (clusterName: string) => {
    const routerId = clusterName === "two" ? other : embedded.seed.router
    const settings = { subnetId: embedded.seed.serviceSubnet, routerId }
    return openStackProvider({ cloud: openStack({ access, connect, clock, retries: 0 }), clusterName, settings })
  }
  return { embedded, clock, provider }
}

/** The first address of a server. */
const addressOf = (embedded: EmbeddedOpenStack, name: string) => Object.values(embedded.nova.named(name).addresses).flat()[0]?.addr ?? ""

providerContract("openstack", async () => {
  const { embedded, clock, provider } = cloudWithProviders()
  const time = movingTime(clock)
  return {
    provider,
    balancers: async () => [...embedded.octavia.balancers.rows.values()].map((row) => row.name),
    writes: () => embedded.writes,
    async deleteOutOfBand(name) {
      for (const row of embedded.octavia.balancers.where((one) => one.name === name)) removeRows(embedded.octavia, row)
    },
    async changeInstance(name, change) {
      if (change === "add") embedded.nova.add(name)
      else if (change === "stop") embedded.nova.change(name, { status: "SHUTOFF" })
      else embedded.nova.delete(name)
    },
    addressOf: (name) => addressOf(embedded, name),
    fault(kind) {
      embedded.fault = ({ service, verb }) => {
        if (service === "keystone" || (kind !== "hang" && verb === "GET")) return undefined
        embedded.fault = () => undefined
        return faults[kind]
      }
    },
    [Symbol.asyncDispose]: () => time[Symbol.asyncDispose](),
  }
})

const signal = new AbortController().signal

function node(name: string, address: string) {
  return { ...contractNode(name), status: { addresses: [{ type: "InternalIP" as const, address }] } }
}

test("a whole Service is one create, with members, monitor and a floating IP, and its names and tags are upstream's", async () => {
  const { embedded, clock, provider } = cloudWithProviders()
  await using _time = movingTime(clock)
  const annotations = {
    "loadbalancer.openstack.org/enable-health-monitor": "true",
    "loadbalancer.openstack.org/lb-method": "LEAST_CONNECTIONS",
    "loadbalancer.openstack.org/timeout-client-data": "1000",
  }
  const plain = contractService()
  const service = {
    ...plain,
    metadata: { ...plain.metadata, annotations },
    spec: { ...plain.spec, sessionAffinity: "ClientIP" as const, loadBalancerSourceRanges: ["10.0.0.0/8"] },
  }
  const balancers = provider("one").loadBalancers!
  const { status } = await balancers.ensure(service, [node("a", "192.168.0.10"), node("b", "192.168.0.11")], signal)
  const name = balancers.name(service)
  expect(name).toBe(`kube_service_one_default_web_${service.metadata.uid}`)
  const [row] = embedded.octavia.balancers.where(() => true)
  expect(row).toMatchObject({ name, tags: [name], description: "Kubernetes external service default/web from cluster one" })
  const [listener] = embedded.octavia.listeners.where(() => true)
  expect(listener).toMatchObject({
    name: `listener_0_${name}`,
    protocol: "TCP",
    protocol_port: 18_080,
    allowed_cidrs: ["10.0.0.0/8"],
    timeout_client_data: 1000,
  })
  const [pool] = embedded.octavia.pools.where(() => true)
  expect(pool).toMatchObject({ name: `pool_0_${name}`, lb_algorithm: "LEAST_CONNECTIONS", session_persistence: { type: "SOURCE_IP" } })
  expect(embedded.octavia.members.where(() => true).map((one) => `${one.name} ${one.address}:${one.protocol_port}`)).toEqual([
    "a 192.168.0.10:30080",
    "b 192.168.0.11:30080",
  ])
  expect(embedded.octavia.monitors.where(() => true)).toMatchObject([{ name: `monitor_0_${name}`, type: "TCP", delay: 5, timeout: 3 }])
  const [address] = [...embedded.neutron.floatingIps.values()]
  expect(address).toMatchObject({
    description: "Floating IP for Kubernetes external service default/web from cluster one",
    port_id: row?.vip_port_id,
  })
  expect(status).toEqual({ ingress: [{ ip: address?.floating_ip_address, ipMode: "VIP" }] })
  expect(embedded.calls.filter((call) => call.service === "octavia" && call.verb !== "GET")).toHaveLength(1)

  await balancers.ensureDeleted(service, signal)
  expect([...embedded.neutron.floatingIps.values()]).toEqual([])
  expect([...embedded.neutron.ports.values()].filter((port) => port.device_owner === "Octavia")).toEqual([])
})

test("an internal Service has no floating IP, and one that keeps its address leaves it", async () => {
  const { embedded, clock, provider } = cloudWithProviders()
  await using _time = movingTime(clock)
  const balancers = provider("one").loadBalancers!
  const plain = contractService()
  const internal = {
    ...plain,
    metadata: { ...plain.metadata, annotations: { "service.beta.kubernetes.io/openstack-internal-load-balancer": "true" } },
  }
  const { status } = await balancers.ensure(internal, [], signal)
  expect(status.ingress?.[0]?.ip).toBe(embedded.octavia.balancers.where(() => true)[0]?.vip_address)
  await balancers.ensureDeleted(internal, signal)
  const keeping = { ...plain, metadata: { ...plain.metadata, annotations: { "loadbalancer.openstack.org/keep-floatingip": "true" } } }
  await balancers.ensure(keeping, [], signal)
  await balancers.ensureDeleted(keeping, signal)
  expect([...embedded.neutron.floatingIps.values()]).toHaveLength(1)
})

test("a balancer in ERROR is deleted and recreated", async () => {
  const { embedded, clock, provider } = cloudWithProviders()
  await using _time = movingTime(clock)
  const balancers = provider("one").loadBalancers!
  embedded.knobs.loadBalancerFails = true
  await expect(balancers.ensure(contractService(), [], signal)).rejects.toMatchObject({ name: "LoadBalancerFailed", retryable: true })
  embedded.knobs.loadBalancerFails = false
  await balancers.ensure(contractService(), [], signal)
  expect(embedded.octavia.balancers.where(() => true).map((row) => row.provisioning_status)).toEqual(["ACTIVE"])
})

test("a balancer that cloud-provider-openstack left is taken over by its name and address", async () => {
  const { embedded, clock, provider } = cloudWithProviders()
  await using _time = movingTime(clock)
  const theirs = openStack({ access: embedded.access(), connect: embedded.connect, clock })
  const left = await theirs.octavia.loadBalancers.create({
    name: "kube_service_one_default_web",
    vip_subnet_id: embedded.seed.serviceSubnet,
  })
  const service = { ...contractService(), status: { loadBalancer: { ingress: [{ ip: left.vip_address }] } } }
  await provider("one").loadBalancers!.ensure(service, [node("a", "192.168.0.10")], signal)
  expect(embedded.octavia.balancers.where(() => true).map((row) => row.id)).toEqual([left.id])
  expect(embedded.octavia.members.where(() => true)).toHaveLength(1)
})

test("annotations that contradict each other, or are no numbers, say so", async () => {
  const { provider } = cloudWithProviders()
  const balancers = provider("one").loadBalancers!
  const plain = contractService()
  const annotated = (annotations: Record<string, string>) => ({ ...plain, metadata: { ...plain.metadata, annotations } })
  const both = annotated({ "loadbalancer.openstack.org/proxy-protocol": "true", "loadbalancer.openstack.org/x-forwarded-for": "true" })
  await expect(balancers.ensure(both, [], signal)).rejects.toThrow(/proxy-protocol or x-forwarded-for/)
  const wrong = annotated({ "loadbalancer.openstack.org/connection-limit": "many" })
  await expect(balancers.ensure(wrong, [], signal)).rejects.toThrow(/whole number.*connection-limit.*"many"/)
})

test("waits for a create that takes two minutes: a second call would create a second balancer", async () => {
  await using stage = providerWith()
  stage.embedded.fault = ({ verb, path }) => (verb === "POST" && path.endsWith("/loadbalancers") ? { takes: 120_000 } : undefined)
  await stage.balancers.ensure(serviceWith(), [nodeAt("a", "192.168.0.10")], stage.signal)
  expect(stage.embedded.octavia.balancers.rows.size).toBe(1)
  expect(stage.embedded.calls.filter(({ verb, path }) => verb === "POST" && path.endsWith("/loadbalancers"))).toHaveLength(1)
})
