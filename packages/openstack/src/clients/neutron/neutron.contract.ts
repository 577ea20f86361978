import { describe, expect, test } from "vitest"
import { type CloudFixture, type ContractTools, withTools } from "../testing/cloud-fixture.ts"
import type { NewPort, Port } from "./types.ts"

const missingId = "00000000-0000-4000-8000-000000000000"

/** What Neutron and our client of it promise: the same rows for the embedded cloud and a real one. */
export function neutronContract(name: string, make: () => Promise<CloudFixture>): void {
  const row = (what: string, work: (tools: ContractTools) => Promise<void>) =>
    test(what, async () => withTools(await make(), "neutron-contract", work))
  describe(`the Neutron contract: ${name}`, () => {
    portRows(row)
    refusalRows(row)
    tagRows(row)
    trunkRows(row)
    groupRows(row)
    addressRows(row)
  })
}

type Row = (what: string, work: (tools: ContractTools) => Promise<void>) => void

async function port(tools: ContractTools, requested: Partial<NewPort> = {}): Promise<Port> {
  const { neutron } = tools.cloud
  const made = await neutron.ports.create({ network_id: tools.place.podNetwork, name: tools.name, ...requested })
  tools.later(() => neutron.ports.delete(made.id))
  return made
}

async function untilPort({ cloud, clock }: ContractTools, id: string, done: (port: Port) => boolean): Promise<Port> {
  for (let wait = 0; wait < 200; wait++) {
    const found = await cloud.neutron.ports.get(id)
    if (done(found)) return found
    await clock.sleep(100)
  }
  throw new Error(`expected a change of port ${id}, found none`)
}

function portRows(row: Row): void {
  row("a bound port is DOWN at first, has an address of its subnet, and turns ACTIVE", async (tools) => {
    const { place } = tools
    const made = await port(tools, {
      fixed_ips: [{ subnet_id: place.podSubnet }],
      "binding:host_id": place.host,
      device_owner: "compute:kuryr",
      device_id: "pod-uid",
    })
    expect(made).toMatchObject({ status: "DOWN", device_owner: "compute:kuryr", device_id: "pod-uid", project_id: place.project, tags: [] })
    expect(made.fixed_ips).toHaveLength(1)
    expect(made).toMatchObject({ "binding:vif_type": "ovs", "binding:vif_details": { bridge_name: "br-int", port_filter: true } })
    expect(made.security_groups).toHaveLength(1)
    const active = await untilPort(tools, made.id, ({ status }) => status === "ACTIVE")
    expect(active.revision_number).toBeGreaterThan(made.revision_number)
  })

  row("a port without a host stays unbound", async (tools) => {
    expect(await port(tools)).toMatchObject({ status: "DOWN", "binding:vif_type": "unbound", device_id: "", device_owner: "" })
  })

  row("a port on a host without an agent is not bound", async (tools) => {
    expect(await port(tools, { "binding:host_id": "nowhere" })).toMatchObject({ "binding:vif_type": "binding_failed", status: "DOWN" })
  })

  row("several ports in one call come in order", async (tools) => {
    const { neutron } = tools.cloud
    const made = await neutron.ports.createMany(["a", "b", "c"].map((name) => ({ network_id: tools.place.podNetwork, name })))
    for (const { id } of made) tools.later(() => neutron.ports.delete(id))
    expect(made.map((one) => one.name)).toEqual(["a", "b", "c"])
    expect(new Set(made.map((one) => one.fixed_ips[0]?.ip_address)).size).toBe(3)
  })

  row("several ports are made all or none", async ({ cloud, place, name }) => {
    const requested = [{ network_id: place.podNetwork, name: `${name}-bulk` }, { network_id: missingId }]
    await expect(cloud.neutron.ports.createMany(requested)).rejects.toMatchObject({
      kind: "not-found",
      refusal: { type: "NetworkNotFound" },
    })
    expect(await cloud.neutron.ports.list({ name: `${name}-bulk` })).toEqual([])
  })

  row("a list comes page by page, and is filtered by attributes", async (tools) => {
    for (let count = 0; count < 3; count++) await port(tools, { name: `${tools.name}-page`, device_id: `page-${count}` })
    const { neutron } = tools.cloud
    expect(await neutron.ports.list({ name: `${tools.name}-page`, limit: "1" })).toHaveLength(3)
    expect(await neutron.ports.list({ name: `${tools.name}-page`, device_id: ["page-0", "page-2"] })).toHaveLength(2)
    const [first] = await neutron.ports.list({ device_id: "page-1", fields: ["id", "name"] })
    expect(Object.keys(first ?? {}).sort()).toEqual(["id", "name"])
  })

  row("a port is found by its subnet and address", async (tools) => {
    const made = await port(tools)
    const [address] = made.fixed_ips
    const filter = { fixed_ips: [`subnet_id=${address?.subnet_id}`, `ip_address=${address?.ip_address}`] }
    expect((await tools.cloud.neutron.ports.list(filter)).map(({ id }) => id)).toEqual([made.id])
  })

  row("a change counts the revision up, and a change of an older revision is refused", async (tools) => {
    const { neutron } = tools.cloud
    const made = await port(tools)
    const changed = await neutron.ports.update(made.id, { name: "changed" }, { ifRevision: made.revision_number })
    expect(changed).toMatchObject({ name: "changed" })
    expect(changed.revision_number).toBeGreaterThan(made.revision_number)
    const stale = neutron.ports.update(made.id, { name: "lost" }, { ifRevision: made.revision_number })
    await expect(stale).rejects.toMatchObject({ kind: "stale", refusal: { status: 412, type: "RevisionNumberConstraintFailed" } })
    expect((await neutron.ports.get(made.id)).name).toBe("changed")
  })

  row("a deleted port is gone, and a second delete says so", async ({ cloud, place }) => {
    const made = await cloud.neutron.ports.create({ network_id: place.podNetwork })
    expect(await cloud.neutron.ports.delete(made.id)).toBe(true)
    expect(await cloud.neutron.ports.delete(made.id)).toBe(false)
    expect(await cloud.neutron.ports.find(made.id)).toBeUndefined()
  })
}

function refusalRows(row: Row): void {
  row("distinguishes an address in use, one outside, and objects that do not exist", async (tools) => {
    const { ports } = tools.cloud.neutron
    const { podNetwork: network_id, podSubnet: subnet_id } = tools.place
    const made = await port(tools)
    const at = (ip_address: string) => ports.create({ network_id, fixed_ips: [{ subnet_id, ip_address }] })
    await expect(at(made.fixed_ips[0]!.ip_address)).rejects.toMatchObject({
      kind: "address-taken",
      refusal: { status: 409, type: "IpAddressAlreadyAllocated" },
    })
    await expect(at("1.2.3.4")).rejects.toMatchObject({
      kind: "invalid",
      refusal: { status: 400, type: "InvalidIpForSubnet" },
      retryable: false,
    })
    await expect(ports.create({ network_id: missingId })).rejects.toMatchObject({ kind: "not-found" })
    await expect(ports.create({ network_id, security_groups: [missingId] })).rejects.toMatchObject({
      kind: "not-found",
      refusal: { type: "SecurityGroupNotFound" },
    })
    await expect(ports.create({ network_id, nonsense: 1 } as NewPort)).rejects.toMatchObject({ kind: "invalid" })
  })

  row("a subnet without an address left", async (tools) => {
    const { neutron } = tools.cloud
    const network = await neutron.networks.create({ name: tools.name })
    tools.later(() => neutron.networks.delete(network.id))
    await neutron.subnets.create({ network_id: network.id, ip_version: 4, cidr: "10.99.0.0/30" })
    await port(tools, { network_id: network.id })
    await expect(neutron.ports.create({ network_id: network.id })).rejects.toMatchObject({
      kind: "no-address-left",
      refusal: { type: "IpAddressGenerationFailure" },
    })
  })

  row("networks and subnets that are used stay", async (tools) => {
    const { neutron } = tools.cloud
    await port(tools)
    await expect(neutron.networks.delete(tools.place.podNetwork)).rejects.toMatchObject({
      kind: "in-use",
      refusal: { type: "NetworkInUse" },
    })
    await expect(neutron.subnets.delete(tools.place.podSubnet)).rejects.toMatchObject({ kind: "in-use", refusal: { type: "SubnetInUse" } })
  })

  row("a quota that is used up is its own error", async (tools) => {
    const { neutron } = tools.cloud
    const { project, podNetwork } = tools.place
    const before = (await neutron.quota(project)).port
    tools.later(() => neutron.setQuota(project, { port: before?.limit ?? -1 }))
    await neutron.setQuota(project, { port: before?.used ?? 0 })
    const error = await neutron.ports.create({ network_id: podNetwork }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ name: "QuotaExceeded", kind: "quota", retryable: true, refusal: { type: "OverQuota" } })
    const many = neutron.ports.createMany([{ network_id: podNetwork }, { network_id: podNetwork }])
    await expect(many).rejects.toMatchObject({ name: "QuotaExceeded" })
  })
}

function tagRows(row: Row): void {
  row("tags are set, added, removed and searched by", async (tools) => {
    const { neutron } = tools.cloud
    const { id } = await port(tools, { name: `${tools.name}-tags` })
    expect([...(await neutron.setTags("ports", id, ["b", "a"]))].sort()).toEqual(["a", "b"])
    await neutron.addTag("ports", id, "c=d/e")
    await neutron.addTag("ports", id, "c=d/e")
    await neutron.removeTag("ports", id, "a")
    await neutron.removeTag("ports", id, "a")
    expect([...(await neutron.ports.get(id)).tags].sort()).toEqual(["b", "c=d/e"])
    const found = async (filter: Record<string, string>) => (await neutron.ports.list({ name: `${tools.name}-tags`, ...filter })).length
    expect(await found({ tags: "b,c=d/e" })).toBe(1)
    expect(await found({ tags: "b,a" })).toBe(0)
    expect(await found({ "tags-any": "a,b" })).toBe(1)
    expect(await found({ "not-tags": "b" })).toBe(0)
    await expect(neutron.setTags("ports", missingId, ["a"])).rejects.toMatchObject({ kind: "not-found" })
  })
}

function trunkRows(row: Row): void {
  row("a trunk takes subports, each VLAN and port once, and gives them back", async (tools) => {
    const { neutron } = tools.cloud
    const [parent, one, two] = [await port(tools), await port(tools), await port(tools)]
    const trunk = await neutron.trunks.create({ port_id: parent.id, name: tools.name })
    tools.later(() => neutron.trunks.delete(trunk.id))
    const sub = (port_id: string, segmentation_id: number) => ({ port_id, segmentation_type: "vlan", segmentation_id })
    const full = await neutron.trunks.addSubports(trunk.id, [sub(one.id, 7)])
    expect(full.sub_ports).toEqual([sub(one.id, 7)])
    expect((await neutron.ports.get(parent.id)).trunk_details).toMatchObject({ trunk_id: trunk.id, sub_ports: [sub(one.id, 7)] })
    await expect(neutron.trunks.addSubports(trunk.id, [sub(two.id, 7)])).rejects.toMatchObject({
      kind: "duplicate",
      refusal: { type: "DuplicateSubPort" },
    })
    await expect(neutron.trunks.addSubports(trunk.id, [sub(one.id, 8)])).rejects.toMatchObject({ kind: "in-use" })
    await expect(neutron.ports.delete(one.id)).rejects.toMatchObject({ kind: "in-use", refusal: { type: "PortInUseAsSubPort" } })
    await expect(neutron.ports.delete(parent.id)).rejects.toMatchObject({ kind: "in-use", refusal: { type: "PortInUseAsTrunkParent" } })
    await expect(neutron.trunks.removeSubports(trunk.id, [two.id])).rejects.toMatchObject({ kind: "not-found" })
    expect((await neutron.trunks.removeSubports(trunk.id, [one.id])).sub_ports).toEqual([])
  })

  row("a bound port can be no parent", async (tools) => {
    const bound = await port(tools, { "binding:host_id": tools.place.host })
    await expect(tools.cloud.neutron.trunks.create({ port_id: bound.id })).rejects.toMatchObject({ refusal: { type: "ParentPortInUse" } })
  })
}

function groupRows(row: Row): void {
  row("a group begins with two rules, has each rule once, and stays while a port uses it", async (tools) => {
    const { neutron } = tools.cloud
    const group = await neutron.securityGroups.create({ name: tools.name })
    tools.later(() => neutron.securityGroups.delete(group.id))
    expect(group.security_group_rules.map((rule) => rule.direction)).toEqual(["egress", "egress"])
    const requested = {
      security_group_id: group.id,
      direction: "ingress" as const,
      protocol: "tcp",
      port_range_min: 80,
      port_range_max: 80,
    }
    const made = await neutron.securityGroupRules.create({ ...requested, remote_ip_prefix: "10.0.0.0/8" })
    expect(made).toMatchObject({ ethertype: "IPv4", remote_ip_prefix: "10.0.0.0/8", remote_group_id: null })
    const again = neutron.securityGroupRules.create({ ...requested, remote_ip_prefix: "10.0.0.0/8" })
    await expect(again).rejects.toMatchObject({ kind: "duplicate", refusal: { text: expect.stringContaining(made.id) } })
    expect((await neutron.securityGroups.get(group.id)).security_group_rules).toHaveLength(3)
    const used = await port(tools, { security_groups: [group.id] })
    await expect(neutron.securityGroups.delete(group.id)).rejects.toMatchObject({ kind: "in-use", refusal: { type: "SecurityGroupInUse" } })
    await neutron.ports.update(used.id, { security_groups: [] })
    expect(await neutron.securityGroupRules.delete(made.id)).toBe(true)
  })
}

function addressRows(row: Row): void {
  row("a floating IP is made, attached, detached, and freed with its port", async (tools) => {
    const { neutron } = tools.cloud
    const made = await neutron.floatingIps.create({ floating_network_id: tools.place.publicNetwork, description: tools.name })
    tools.later(() => neutron.floatingIps.delete(made.id))
    expect(made).toMatchObject({ port_id: null, fixed_ip_address: null, status: "DOWN", description: tools.name })
    const target = await port(tools, { fixed_ips: [{ subnet_id: tools.place.podSubnet }] })
    const attached = await neutron.floatingIps.update(made.id, { port_id: target.id })
    expect(attached).toMatchObject({ port_id: target.id, fixed_ip_address: target.fixed_ips[0]?.ip_address })
    const second = neutron.floatingIps.create({ floating_network_id: tools.place.publicNetwork, port_id: target.id })
    await expect(second).rejects.toMatchObject({ refusal: { status: 409, type: "FloatingIPPortAlreadyAssociated" } })
    expect(await neutron.floatingIps.update(made.id, { port_id: null })).toMatchObject({ port_id: null })
    await neutron.floatingIps.update(made.id, { port_id: target.id })
    await neutron.ports.delete(target.id)
    expect(await neutron.floatingIps.get(made.id)).toMatchObject({ port_id: null, fixed_ip_address: null })
  })

  row("a floating IP of a network that is not outside, or to where no router leads, is refused", async (tools) => {
    const { neutron } = tools.cloud
    const inside = neutron.floatingIps.create({ floating_network_id: tools.place.podNetwork })
    await expect(inside).rejects.toMatchObject({ kind: "invalid" })
    const island = await neutron.networks.create({ name: `${tools.name}-island` })
    tools.later(() => neutron.networks.delete(island.id))
    await neutron.subnets.create({ network_id: island.id, ip_version: 4, cidr: "10.98.0.0/24" })
    const alone = await port(tools, { network_id: island.id })
    const away = neutron.floatingIps.create({ floating_network_id: tools.place.publicNetwork, port_id: alone.id })
    await expect(away).rejects.toMatchObject({ kind: "not-found", refusal: { type: "ExternalGatewayForFloatingIPNotFound" } })
  })
}
