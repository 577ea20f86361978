import { endpoints, services } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { LoadBalancer } from "../../clients/octavia/types.ts"
import { encodeState } from "../../versioned-objects/annotations.ts"
import { stateAnnotation } from "../annotations.ts"
import { type TestCluster, testCluster, testService } from "../testing/cluster.ts"
import { clients, createsBalancer, give, members } from "../testing/faults.ts"
import { ownedBalancer as theOneOf } from "./balancers.ts"

const address = "10.96.51.42"

const desired = { uid: "uid", name: "default/web", ip: address, subnet: "services", id: "lb" }

test.each<[what: string, one: Partial<LoadBalancer>, service: Partial<typeof desired>, isIts: boolean]>([
  ["as kuryr left it", {}, {}, true],
  ["under another name", { name: "default/old" }, {}, true],
  ["at another address, as where a backup was restored into a second cluster", { vip_address: "10.96.0.9" }, {}, false],
  ["in another subnet", { vip_subnet_id: "others" }, {}, false],
  ["of a Service that has no address any more", {}, { ip: undefined }, true],
  ["of a Service that has no address, under another name", { name: "default/old" }, { ip: undefined }, false],
  ["that says that it is another's", { tags: ["pilothouse:cluster=one", "pilothouse:owner=other"] }, {}, false],
])("a load balancer whose id the state annotation has, %s", (_, one, service, isIts) => {
  const found = { id: "lb", name: "default/web", vip_address: address, vip_subnet_id: "services", tags: [], description: "", ...one }
  const all = [{ provisioning_status: "ACTIVE", ...found } as unknown as LoadBalancer]
  expect(theOneOf(all, { ...desired, ...service }, { cluster: "one" })?.id).toBe(isIts ? "lb" : undefined)
})

/** A load balancer default/web that says nothing of whose it is, as kuryr or a person leaves it, before the handlers start. */
async function left(run: TestCluster, vip_subnet_id: string): Promise<string> {
  const { id } = await clients(run).octavia.loadBalancers.create({ name: "default/web", vip_subnet_id, vip_address: address })
  await run.cluster.advance("5s")
  await run.cluster.restartControllers()
  return id
}

function balancers({ cloud }: TestCluster) {
  return [...cloud.octavia.balancers.rows.values()].filter(({ name }) => name !== "default/kubernetes")
}

test.each([
  ["headless", { clusterIP: "None" }],
  ["of type ExternalName", { type: "ExternalName", externalName: "example.org", selector: undefined }],
  ["at another address, that goes before it has one", {}],
] as const)("a Service of the same name, %s: a load balancer of an unknown owner is left alone", async (_, spec) => {
  await using run = await testCluster()
  const id = await left(run, run.cloud.serviceSubnet("10.96.0.0/12"))
  const isOne = createsBalancer("web")
  run.cloud.fault = (call) => (isOne(call) ? { status: 503 } : undefined)
  await run.cluster.apply(testService("web", spec))
  await run.cluster.advance("1m")
  await run.cluster.client.delete(services, "default/web")
  await run.cluster.advance("15m")
  expect(balancers(run)).toMatchObject([{ id, provisioning_status: "ACTIVE", tags: [] }])
})

test("a Service of the same name and address whose range is another cluster's too, in another subnet: it has one of its own", async () => {
  await using run = await testCluster()
  const { neutron } = clients(run)
  const network = await neutron.networks.create({ name: "of another cluster" })
  const subnet = await neutron.subnets.create({ network_id: network.id, cidr: "10.96.0.0/12", ip_version: 4 })
  const id = await left(run, subnet.id)
  await run.cluster.apply(testService("web", { selector: undefined, clusterIP: address }))
  await give(run, "web", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "web")) === 1)
  expect(balancers(run)).toHaveLength(2)
  expect(await clients(run).octavia.loadBalancers.get(id)).toMatchObject({ listeners: [], pools: [], tags: [] })
})

test("a state that was copied from another Service: that one keeps its load balancer, also when the copy goes", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testService("web", { selector: undefined }))
  await give(run, "web", "10.10.9.1")
  await run.cluster.until(async () => (await members(run, "web")) === 1)
  const state = (await run.cluster.client.get(endpoints, "default/web")).metadata.annotations?.[stateAnnotation]
  const [web] = balancers(run)
  // What starts now has the load balancers of both in its first list.
  await run.cluster.restartControllers()
  const subsets = [{ addresses: [{ ip: "10.10.9.2" }], ports: [{ port: 8080, protocol: "TCP" }] }]
  const copy = { name: "copy", namespace: "default", annotations: { [stateAnnotation]: state } }
  await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: copy, subsets } as never)
  await run.cluster.apply(testService("copy", { selector: undefined }))
  await run.cluster.advance("2m")
  expect(balancers(run).map(({ name }) => name)).toEqual(["default/web", "default/copy"])
  await run.cluster.client.delete(services, "default/copy")
  await run.cluster.advance("2m")
  expect(balancers(run).map(({ id }) => id)).toEqual([web?.id])
})

test("a state that was copied from a Service of another kuryr, whose load balancer says nothing of whose it is: that one stays as it is", async () => {
  await using run = await testCluster()
  const subnet_id = run.cloud.serviceSubnet("10.96.0.0/12")
  const id = await left(run, subnet_id)
  const loadbalancer = { id, name: "default/web", project_id: run.cloud.seed.project, ip: address, subnet_id }
  const state = encodeState({ loadbalancer, listeners: [], pools: [], members: [] })
  const copy = { name: "copy", namespace: "default", annotations: { [stateAnnotation]: state } }
  await run.cluster.apply({ apiVersion: "v1", kind: "Endpoints", metadata: copy, subsets: [] } as never)
  await run.cluster.apply(testService("copy", { selector: undefined }))
  await run.cluster.advance("2m")
  await run.cluster.client.delete(services, "default/copy")
  await run.cluster.advance("2m")
  expect(balancers(run)).toMatchObject([{ id, provisioning_status: "ACTIVE", tags: [] }])
})

test("deletes what kuryr left of a Service that is deleted before its first reconcile", async () => {
  await using run = await testCluster()
  await left(run, run.cloud.serviceSubnet("10.96.0.0/12"))
  run.cloud.fault = ({ service }) => (service === "octavia" ? { status: 503 } : undefined)
  const web = testService("web", { type: "LoadBalancer", clusterIP: address })
  const finalizers = ["service.kubernetes.io/load-balancer-cleanup"]
  await run.cluster.apply({ ...web, metadata: { ...web.metadata, finalizers } })
  await run.cluster.client.delete(services, "default/web")
  await run.cluster.advance("30s")
  run.cloud.fault = () => undefined
  await run.cluster.advance("3m")
  expect(balancers(run)).toEqual([])
  expect(await run.cluster.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
})

test.each(["ClusterIP", "LoadBalancer"] as const)(
  "a Service of type %s that goes while Octavia has not answered: its load balancer goes as soon as there is one",
  async (type) => {
    await using run = await testCluster({ kuryr: { sweep: { every: "60m" } } })
    const isOne = createsBalancer("web")
    run.cloud.fault = (call) => (isOne(call) ? { takes: 95_000 } : undefined)
    await run.cluster.apply(testService("web", { type }))
    await run.cluster.advance("70s")
    expect(balancers(run)).toEqual([])
    await run.cluster.client.delete(services, "default/web")
    await run.cluster.advance("20s")
    expect(await run.cluster.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toHaveLength(
      type === "LoadBalancer" ? 1 : 0,
    )
    await run.cluster.advance("40s")
    expect([balancers(run), run.kuryr().failed()]).toEqual([[], []])
    expect(await run.cluster.list(services, { namespace: "default", fieldSelector: "metadata.name=web" })).toEqual([])
  },
)

test("creates one in ERROR with an external address again, and keeps the address", async () => {
  await using run = await testCluster()
  await run.cluster.apply(testService("web", { type: "LoadBalancer" }))
  const ingress = async () => (await run.cluster.client.get(services, "default/web")).status?.loadBalancer?.ingress
  await run.cluster.until(async () => (await ingress()) !== undefined)
  const [before] = [...run.cloud.neutron.floatingIps.values()]
  const [broken] = balancers(run)
  run.cloud.octavia.balancers.change(broken!.id, { provisioning_status: "ERROR" })
  await run.cluster.advance("15m")
  const [now] = balancers(run)
  expect(now?.id).not.toBe(broken?.id)
  expect([...run.cloud.neutron.floatingIps.values()]).toMatchObject([{ id: before?.id, port_id: now?.vip_port_id }])
  expect(await ingress()).toMatchObject([{ ip: before?.floating_ip_address }])
})
