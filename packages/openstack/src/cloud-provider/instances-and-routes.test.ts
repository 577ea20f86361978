import type { Node } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import type { Server } from "../clients/nova/types.ts"
import { testCloud } from "../embedded/testing/cloud.ts"
import { readCloudConf } from "./cloud-conf.ts"
import { openStackProvider } from "./load-balancers.ts"
import { movingTime } from "./testing/provider.ts"

const signal = new AbortController().signal

function node(name: string, providerID?: string): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, ...(providerID && { spec: { providerID } }) }
}

function stage() {
  const { embedded, clock, connect, access } = testCloud()
  const cloud = openStack({ access, connect, clock, retries: 0 })
  const settings = readCloudConf(`[Route]\nrouter-id="${embedded.seed.router}"\n`)
  const provider = openStackProvider({ cloud, settings })
  const time = movingTime(clock)
  const addressOf = (name: string) => Object.values(embedded.nova.named(name).addresses).flat()[0]?.addr ?? ""
  const portOf = (name: string) => {
    const { id } = embedded.nova.named(name)
    return [...embedded.neutron.ports.values()].find(({ device_id }) => device_id === id)
  }
  return {
    embedded,
    instances: provider.instances!,
    routes: provider.routes!,
    addressOf,
    portOf,
    extraRoutes: () => embedded.neutron.routers.get(embedded.seed.router).routes ?? [],
    [Symbol.asyncDispose]: () => time[Symbol.asyncDispose](),
  }
}

test("a server is described as cloud-provider-openstack does", async () => {
  await using made = stage()
  const { id } = made.embedded.nova.add("a")
  const address = made.addressOf("a")
  expect(await made.instances.metadata(node("a"), signal)).toEqual({
    providerId: `openstack:///${id}`,
    instanceType: "m1.small",
    zone: "nova",
    region: "RegionOne",
    addresses: [{ type: "InternalIP", address }],
    additionalLabels: { "topology.openstack.org/host-id": "2d1f7f0d8b7b4d4f9d1f" },
  })
  expect(made.embedded.calls.findLast(({ service }) => service === "nova")?.query).toMatchObject({ name: "^a$" })
})

test.each<[what: string, change: Partial<Server>, expected: object]>([
  [
    "floating and access addresses, each once",
    {
      addresses: {
        nodes: [
          { addr: "10.0.0.7", version: 4 },
          { addr: "203.0.113.7", version: 4, "OS-EXT-IPS:type": "floating" },
        ],
      },
      accessIPv4: "203.0.113.7",
      accessIPv6: "2001:db8::7",
    },
    {
      addresses: [
        { type: "InternalIP", address: "10.0.0.7" },
        { type: "ExternalIP", address: "203.0.113.7" },
        { type: "ExternalIP", address: "2001:db8::7" },
      ],
    },
  ],
  [
    "a host name",
    { addresses: {}, metadata: { hostname: "a.example.com" } },
    { addresses: [{ type: "Hostname", address: "a.example.com" }] },
  ],
  ["a zone that no label can have", { "OS-EXT-AZ:availability_zone": "zone 1!" }, { zone: "zone-1" }],
])("the metadata of a server has %s", async (_what, change, expected) => {
  await using made = stage()
  made.embedded.nova.add("a")
  made.embedded.nova.change("a", change)
  expect(await made.instances.metadata(node("a"), signal)).toMatchObject(expected)
})

test("a flavor without a name that a label can have is left out", async () => {
  await using made = stage()
  made.embedded.nova.add("a")
  made.embedded.nova.change("a", { flavor: { original_name: "large flavor" } })
  expect(await made.instances.metadata(node("a"), signal)).not.toHaveProperty("instanceType")
})

test("names are compared whole: a dot is a dot", async () => {
  await using made = stage()
  made.embedded.nova.add("axb")
  expect(await made.instances.exists(node("a.b"), signal)).toBe(false)
  expect(await made.instances.exists(node("ax"), signal)).toBe(false)
})

test("two servers of one name, and a server of another region, are errors", async () => {
  await using made = stage()
  const { id } = made.embedded.nova.add("a")
  made.embedded.nova.add("a")
  await expect(made.instances.exists(node("a"), signal)).rejects.toThrow("expected one server with the name a, found 2")
  expect(await made.instances.exists(node("other", `openstack://RegionOne/${id}`), signal)).toBe(true)
  await expect(made.instances.exists(node("a", `openstack://RegionTwo/${id}`), signal)).rejects.toThrow("of the region RegionOne")
})

test("a cloud that does not answer is no cloud without the server", async () => {
  await using made = stage()
  const { id } = made.embedded.nova.add("a")
  made.embedded.fault = ({ service }) => (service === "nova" ? { status: 503 } : undefined)
  await expect(made.instances.exists(node("a", `openstack:///${id}`), signal)).rejects.toMatchObject({ retryable: true })
})

test("a route lets the pods' addresses pass the port of the node before it is there, and no longer once it is gone", async () => {
  await using made = stage()
  made.embedded.nova.add("a")
  const route = { targetNode: "a", destination: "10.244.1.0/24" }
  await made.routes.create(route, "", signal)
  expect(made.extraRoutes()).toEqual([{ destination: "10.244.1.0/24", nexthop: made.addressOf("a") }])
  expect(made.portOf("a")?.allowed_address_pairs).toEqual([{ ip_address: "10.244.1.0/24" }])
  const [listed] = await made.routes.list(signal)
  expect(listed).toMatchObject({ ...route, targetAddress: made.addressOf("a"), blackhole: false })
  const writes = made.embedded.calls.filter(({ verb }) => verb === "PUT").map(({ path }) => path.split("/")[2])
  expect(writes).toEqual(["ports", "routers"])
  await made.routes.delete(listed!, signal)
  expect([made.extraRoutes(), made.portOf("a")?.allowed_address_pairs]).toEqual([[], []])
})

test("routes of several nodes at once, and what another client adds meanwhile, are all kept", async () => {
  await using made = stage()
  for (const name of ["a", "b", "c"]) made.embedded.nova.add(name)
  const other = { destination: "10.99.0.0/24", nexthop: "192.168.0.250" }
  let isFirst = true
  made.embedded.fault = ({ verb, path }) => {
    if (verb !== "PUT" || !path.includes("/routers/") || !isFirst) return undefined
    isFirst = false
    const { router } = made.embedded.seed
    made.embedded.neutron.routers.change(router, { routes: [other] })
    return undefined
  }
  const destinations = ["10.244.1.0/24", "10.244.2.0/24", "10.244.3.0/24"]
  await Promise.all(destinations.map((destination, at) => made.routes.create({ targetNode: "abc"[at]!, destination }, "", signal)))
  expect(made.extraRoutes().map(({ destination }) => destination)).toEqual(expect.arrayContaining([...destinations, other.destination]))
  const [blackhole] = (await made.routes.list(signal)).filter((route) => route.blackhole)
  expect(blackhole).toMatchObject({ targetNode: "", destination: other.destination })
})

test("a port without port security is left as it is, and a node without a port is an error", async () => {
  await using made = stage()
  made.embedded.nova.add("a")
  made.embedded.neutron.ports.change(made.portOf("a")!.id, { port_security_enabled: false })
  await made.routes.create({ targetNode: "a", destination: "10.244.1.0/24" }, "", signal)
  expect([made.extraRoutes().length, made.portOf("a")?.allowed_address_pairs]).toEqual([1, []])
  await expect(made.routes.create({ targetNode: "b", destination: "10.244.2.0/24" }, "", signal)).rejects.toThrow(
    "expected an address of the node b for 10.244.2.0/24, found none",
  )
  await expect(
    made.routes.create({ targetNode: "b", targetAddress: "192.168.0.77", destination: "10.244.2.0/24" }, "", signal),
  ).rejects.toThrow("expected a port with the address 192.168.0.77")
})

test("without a router there are no routes", () => {
  const { clock, connect, access } = testCloud()
  expect(openStackProvider({ cloud: openStack({ access, connect, clock }), settings: readCloudConf("") }).routes).toBeUndefined()
})
