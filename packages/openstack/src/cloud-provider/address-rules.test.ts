import { describe, expect, test } from "vitest"
import type { BalancerSettings } from "./settings.ts"
import { ensured, nodeAt, providerWith, rows, type ServiceSetup, serviceWith, type TestProvider } from "./testing/provider.ts"

const a = nodeAt("a", "192.168.0.10")

describe("where its address comes from", () => {
  const classes = (seed: TestProvider["embedded"]["seed"]): BalancerSettings => ({
    subnetId: seed.serviceSubnet,
    classes: { inside: { subnetId: seed.podSubnet } },
  })

  test.each<readonly [string, ServiceSetup, "serviceSubnet" | "podSubnet" | "nodeSubnet"]>([
    ["the configuration", {}, "serviceSubnet"],
    ["a class, which wins", { annotations: { class: "inside" } }, "podSubnet"],
    [
      "not of a class for an internal Service",
      { annotations: { class: "inside", "service.beta.kubernetes.io/openstack-internal-load-balancer": "true" } },
      "serviceSubnet",
    ],
  ])("%s", async (_, setup, subnet) => {
    await using made = await ensured(setup, classes)
    expect(made.balancer?.vip_subnet_id).toBe(made.embedded.seed[subnet])
  })

  test("an annotation before the configuration", async () => {
    await using stage = providerWith((seed) => ({ subnetId: seed.serviceSubnet }))
    const { podSubnet } = stage.embedded.seed
    await stage.balancers.ensure(serviceWith({ annotations: { "subnet-id": podSubnet } }), [a], stage.signal)
    expect(rows(stage).balancer?.vip_subnet_id).toBe(podSubnet)
  })

  test("the port of the first node where nothing is configured", async () => {
    await using stage = providerWith(() => ({ subnetId: undefined }))
    const { nodeNetwork: network_id, nodeSubnet: subnet_id } = stage.embedded.seed
    await stage.cloud.neutron.ports.create({ network_id, fixed_ips: [{ subnet_id, ip_address: "192.168.0.10" }] })
    await stage.balancers.ensure(serviceWith(), [a], stage.signal)
    expect(rows(stage).balancer?.vip_subnet_id).toBe(subnet_id)
  })

  test("the network or the port that its annotation names", async () => {
    await using stage = providerWith(() => ({ subnetId: undefined }))
    const { podNetwork, podSubnet, nodeSubnet } = stage.embedded.seed
    const members = { "member-subnet-id": nodeSubnet }
    await stage.balancers.ensure(serviceWith({ annotations: { "network-id": podNetwork, ...members } }), [a], stage.signal)
    expect(rows(stage).balancer?.vip_subnet_id).toBe(podSubnet)
    expect(stage.embedded.octavia.members.where(() => true).map(({ subnet_id }) => subnet_id)).toEqual([nodeSubnet])
    const port = await stage.cloud.neutron.ports.create({ network_id: podNetwork, fixed_ips: [{ subnet_id: podSubnet }] })
    const other = serviceWith({ name: "other", uid: "other", annotations: { "port-id": port.id, ...members } })
    const { status } = await stage.balancers.ensure(other, [a], stage.signal)
    expect(status.ingress).toHaveLength(1)
    await stage.balancers.ensureDeleted(other, stage.signal)
    expect(await stage.cloud.neutron.ports.find(port.id)).toBeDefined()
  })

  test.each(["x", "constructor", "toString"])("an unknown class is named with those there are: %s", async (name) => {
    await expect(ensured({ annotations: { class: name } }, classes)).rejects.toThrow(`found "${name}"; known are inside`)
  })
})

describe("the floating IP", () => {
  test("is the one on its port already, else the one it names if that is free, else a new one", async () => {
    await using stage = providerWith()
    const { publicNetwork: floating_network_id } = stage.embedded.seed
    const own = await stage.cloud.neutron.floatingIps.create({ floating_network_id, floating_ip_address: "172.24.4.50" })
    const { status } = await stage.balancers.ensure(serviceWith({ spec: { loadBalancerIP: "172.24.4.50" } }), [a], stage.signal)
    expect([status.ingress?.[0]?.ip, rows(stage).floating.length]).toEqual(["172.24.4.50", 1])
    await stage.balancers.ensureDeleted(serviceWith({ spec: { loadBalancerIP: "172.24.4.50" } }), stage.signal)
    expect(rows(stage).floating).toMatchObject([{ id: own.id, port_id: null }])
  })

  test("that belongs to another port is refused", async () => {
    await using stage = providerWith()
    const { status } = await stage.balancers.ensure(serviceWith(), [a], stage.signal)
    const setup = { name: "other", uid: "other", spec: { loadBalancerIP: status.ingress?.[0]?.ip } }
    await expect(stage.balancers.ensure(serviceWith(setup), [a], stage.signal)).rejects.toThrow(/to be free, found it at port/)
  })

  test("is deleted when a Service becomes internal; a foreign one is only detached", async () => {
    const internal = { annotations: { "service.beta.kubernetes.io/openstack-internal-load-balancer": "true" } }
    await using stage = providerWith()
    await stage.balancers.ensure(serviceWith(), [a], stage.signal)
    const { status } = await stage.balancers.ensure(serviceWith(internal), [a], stage.signal)
    expect([status.ingress?.[0]?.ip, rows(stage).floating]).toEqual([rows(stage).balancer?.vip_address, []])
    const { publicNetwork: floating_network_id } = stage.embedded.seed
    await stage.cloud.neutron.floatingIps.create({ floating_network_id, port_id: rows(stage).balancer?.vip_port_id })
    await stage.balancers.ensure(serviceWith(internal), [a], stage.signal)
    expect(rows(stage).floating).toMatchObject([{ port_id: null }])
  })

  test("comes from the subnet that the Service names by ID, name or tags; one that is full gives way to the next", async () => {
    await using stage = providerWith()
    const { neutron } = stage.cloud
    const { publicNetwork: network_id, publicSubnet } = stage.embedded.seed
    const subnet = (name: string, cidr: string, allocation_pools?: readonly { start: string; end: string }[]) =>
      neutron.subnets.create({ network_id, name, cidr, ip_version: 4, ...(allocation_pools && { allocation_pools }) })
    const [full, free] = [await subnet("dmz-1", "198.51.100.0/25", []), await subnet("dmz-2", "198.51.100.128/25")]
    await neutron.setTags("subnets", free.id, ["outside", "fast"])
    const addressFor = async (annotations: Readonly<Record<string, string>>) => {
      const service = serviceWith({ annotations })
      const { status } = await stage.balancers.ensure(service, [a], stage.signal)
      await stage.balancers.ensureDeleted(service, stage.signal)
      return status.ingress?.[0]?.ip?.split(".").slice(0, 3).join(".")
    }
    expect(full.id).not.toBe(free.id)
    expect(await addressFor({ "floating-subnet-id": publicSubnet })).toBe("172.24.4")
    expect(await addressFor({ "floating-subnet": "dmz-*" })).toBe("198.51.100")
    expect(await addressFor({ "floating-subnet": "~dmz-[0-9]" })).toBe("198.51.100")
    expect(await addressFor({ "floating-subnet": "!dmz-?" })).toBe("172.24.4")
    expect(await addressFor({ "floating-subnet-tags": "fast,slow" })).toBe("198.51.100")
    expect(await addressFor({ "floating-subnet-tags": "&outside,fast" })).toBe("198.51.100")
    await expect(addressFor({ "floating-subnet-tags": "&outside,slow" })).rejects.toThrow(
      /expected the subnet &outside,slow .* found .*dmz-1/,
    )
    await expect(addressFor({ "floating-subnet-id": stage.embedded.seed.podSubnet })).rejects.toThrow(/expected the subnet .* found/)
  })
})
