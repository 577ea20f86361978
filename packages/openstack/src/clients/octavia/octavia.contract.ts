import { describe, expect, test } from "vitest"
import { type CloudFixture, type ContractTools, withTools } from "../testing/cloud-fixture.ts"
import type { LoadBalancer, NewLoadBalancer, NewMember } from "./types.ts"

const missingId = "00000000-0000-4000-8000-000000000000"

type Row = (what: string, work: (tools: ContractTools) => Promise<void>) => void

/** What Octavia and our client of it promise: the same rows for the embedded cloud and a real one. */
export function octaviaContract(name: string, make: () => Promise<CloudFixture>): void {
  const row: Row = (what, work) => test(what, async () => withTools(await make(), "octavia-contract", work), 600_000)
  describe(`the Octavia contract: ${name}`, () => {
    treeRows(row)
    changeRows(row)
    refusalRows(row)
  })
}

async function balancer(tools: ContractTools, requested: Partial<NewLoadBalancer> = {}): Promise<LoadBalancer> {
  const { octavia, polls } = tools.cloud
  const made = await octavia.loadBalancers.create({ name: tools.name, vip_subnet_id: tools.place.serviceSubnet, ...requested })
  tools.later(async () => {
    if ((await polls.untilChangeable(made.id)) === undefined) return
    await octavia.loadBalancers.delete(made.id, { cascade: true })
    await polls.untilGone(made.id)
  })
  return made
}

function member(tools: ContractTools, address: string, name = "pod:8080"): NewMember {
  return { address, protocol_port: 8080, name, subnet_id: tools.place.serviceSubnet }
}

function tree(tools: ContractTools): NonNullable<NewLoadBalancer["listeners"]> {
  const members = [member(tools, "10.10.1.1"), member(tools, "10.10.1.2")]
  const default_pool = { name: "pool", protocol: "TCP" as const, lb_algorithm: "ROUND_ROBIN", members }
  return [{ name: "listener", protocol: "TCP", protocol_port: 80, default_pool }]
}

function treeRows(row: Row): void {
  row("a whole tree in one call: PENDING_CREATE, immutable, then ACTIVE with all that was asked for", async (tools) => {
    const { octavia, polls, neutron } = tools.cloud
    const made = await balancer(tools, { listeners: tree(tools), tags: ["owner=contract"], description: "words" })
    expect(made).toMatchObject({
      provisioning_status: "PENDING_CREATE",
      name: tools.name,
      description: "words",
      project_id: tools.place.project,
    })
    const change = octavia.listeners.create({ loadbalancer_id: made.id, protocol: "TCP", protocol_port: 81 })
    await expect(change).rejects.toMatchObject({ kind: "busy", retryable: true, refusal: { status: 409 } })
    await expect(octavia.loadBalancers.update(made.id, { name: "other" })).rejects.toMatchObject({ kind: "busy" })
    await expect(octavia.loadBalancers.delete(made.id, { cascade: true })).rejects.toMatchObject({ kind: "busy" })

    const active = await polls.untilActive(made.id)
    expect(active).toMatchObject({ provisioning_status: "ACTIVE", tags: ["owner=contract"], provider: "amphora" })
    const { loadbalancer } = await octavia.loadBalancers.statusTree(made.id)
    const states = loadbalancer.listeners.map((one) => [
      one.provisioning_status,
      one.pools.map((pool) => [pool.provisioning_status, pool.members.map((member) => member.provisioning_status)]),
    ])
    expect(states).toEqual([["ACTIVE", [["ACTIVE", ["ACTIVE", "ACTIVE"]]]]])
    const [listener] = await octavia.listeners.list({ loadbalancer_id: made.id })
    expect(listener).toMatchObject({ protocol: "TCP", protocol_port: 80, name: "listener", connection_limit: -1 })
    expect(await octavia.loadBalancers.list({ tags: "owner=contract", name: tools.name })).toHaveLength(1)

    const vip = await neutron.ports.get(active.vip_port_id)
    expect(vip).toMatchObject({ name: `octavia-lb-${made.id}`, device_owner: "Octavia", device_id: `lb-${made.id}` })
    expect(vip.fixed_ips[0]?.ip_address).toBe(active.vip_address)

    await expect(octavia.loadBalancers.delete(made.id)).rejects.toMatchObject({ kind: "busy", refusal: { status: 400 } })
    expect(await octavia.loadBalancers.delete(made.id, { cascade: true })).toBe(true)
    expect((await octavia.loadBalancers.find(made.id))?.provisioning_status ?? "PENDING_DELETE").toBe("PENDING_DELETE")
    await polls.untilGone(made.id)
    expect(await octavia.pools.find(active.pools[0]!.id)).toBeUndefined()
    expect(await neutron.ports.find(active.vip_port_id)).toBeUndefined()
    expect(await octavia.loadBalancers.delete(made.id, { cascade: true })).toBe(false)
  })
}

function changeRows(row: Row): void {
  row("listeners, pools, members and monitors come and go one after the other", async (tools) => {
    const { octavia, polls } = tools.cloud
    const { id } = await balancer(tools)
    await polls.untilActive(id)
    const listener = await octavia.listeners.create({
      loadbalancer_id: id,
      protocol: "UDP",
      protocol_port: 53,
      name: "dns",
      allowed_cidrs: ["10.0.0.0/8"],
    })
    expect(listener).toMatchObject({ provisioning_status: "PENDING_CREATE", allowed_cidrs: ["10.0.0.0/8"], default_pool_id: null })
    expect(await octavia.loadBalancers.get(id)).toMatchObject({ provisioning_status: "PENDING_UPDATE" })
    await polls.untilActive(id)
    const duplicate = octavia.listeners.create({ loadbalancer_id: id, protocol: "UDP", protocol_port: 53 })
    await expect(duplicate).rejects.toMatchObject({ kind: "duplicate", refusal: { status: 409 }, retryable: false })

    const persistence = { type: "SOURCE_IP" as const }
    const pool = await octavia.pools.create({
      listener_id: listener.id,
      protocol: "UDP",
      lb_algorithm: "ROUND_ROBIN",
      session_persistence: persistence,
    })
    await polls.untilActive(id)
    expect(await octavia.pools.get(pool.id)).toMatchObject({
      provisioning_status: "ACTIVE",
      session_persistence: persistence,
      listeners: [{ id: listener.id }],
    })
    const second = octavia.pools.create({ listener_id: listener.id, protocol: "UDP", lb_algorithm: "ROUND_ROBIN" })
    await expect(second).rejects.toMatchObject({ kind: "duplicate" })

    await memberChanges(tools, id, pool.id)
    await octavia.pools.delete(pool.id)
    await polls.untilActive(id)
    expect(await octavia.pools.find(pool.id)).toBeUndefined()
    expect((await octavia.listeners.get(listener.id)).default_pool_id).toBeNull()
    await octavia.listeners.delete(listener.id)
    await polls.untilActive(id)
    expect((await octavia.loadBalancers.get(id)).listeners).toEqual([])
  })
}

async function memberChanges(tools: ContractTools, balancerId: string, pool: string): Promise<void> {
  const { octavia, polls } = tools.cloud
  const members = octavia.members(pool)
  const addresses = async () => (await members.list()).map(({ address }) => address).sort()
  const first = await members.create(member(tools, "10.10.1.1"))
  await polls.untilActive(balancerId)
  await expect(members.create(member(tools, "10.10.1.1"))).rejects.toMatchObject({ kind: "duplicate" })
  await members.replaceAll([member(tools, "10.10.1.1"), member(tools, "10.10.1.2")])
  await polls.untilActive(balancerId)
  expect((await members.get(first.id)).provisioning_status).toBe("ACTIVE")
  expect(await addresses()).toEqual(["10.10.1.1", "10.10.1.2"])
  await members.replaceAll([member(tools, "10.10.1.3")], { additive: true })
  await polls.untilActive(balancerId)
  expect(await addresses()).toEqual(["10.10.1.1", "10.10.1.2", "10.10.1.3"])
  const twice = [member(tools, "10.10.1.4"), member(tools, "10.10.1.4")]
  await expect(members.replaceAll(twice)).rejects.toMatchObject({ kind: "duplicate" })
  await members.replaceAll([])
  await polls.untilActive(balancerId)
  expect(await addresses()).toEqual([])
  const monitor = await octavia.healthMonitors.create({ pool_id: pool, type: "UDP-CONNECT", delay: 5, timeout: 3, max_retries: 1 })
  await polls.untilActive(balancerId)
  expect((await octavia.pools.get(pool)).healthmonitor_id).toBe(monitor.id)
  await octavia.healthMonitors.delete(monitor.id)
  await polls.untilActive(balancerId)
}

function refusalRows(row: Row): void {
  row("distinguishes a VIP that is in use, outside or of no subnet", async (tools) => {
    const { loadBalancers } = tools.cloud.octavia
    const made = await balancer(tools)
    const at = (vip_address: string) => loadBalancers.create({ vip_subnet_id: tools.place.serviceSubnet, vip_address })
    await expect(at(made.vip_address)).rejects.toMatchObject({ kind: "address-taken", refusal: { status: 500 } })
    await expect(at("1.2.3.4")).rejects.toMatchObject({ kind: "invalid", refusal: { status: 500 }, retryable: false })
    await expect(loadBalancers.create({ vip_subnet_id: missingId })).rejects.toMatchObject({ kind: "not-found", refusal: { status: 400 } })
    await expect(loadBalancers.create({ name: "x" })).rejects.toMatchObject({ kind: "invalid" })
    await tools.cloud.polls.untilActive(made.id)
  })

  row("what does not exist is not found, and wrong words are invalid", async ({ cloud: { octavia }, place }) => {
    expect(await octavia.loadBalancers.find(missingId)).toBeUndefined()
    expect(await octavia.listeners.delete(missingId)).toBe(false)
    await expect(octavia.pools.get(missingId)).rejects.toMatchObject({ kind: "not-found", refusal: { status: 404 } })
    const orphan = octavia.listeners.create({ loadbalancer_id: missingId, protocol: "TCP", protocol_port: 1 })
    await expect(orphan).rejects.toMatchObject({ kind: "not-found" })
    const wrong = { vip_subnet_id: place.serviceSubnet, nonsense: 1 } as NewLoadBalancer
    await expect(octavia.loadBalancers.create(wrong)).rejects.toMatchObject({ kind: "invalid" })
    const listeners = [{ protocol: "TCP" as const, protocol_port: 1, project_id: place.project }]
    await expect(octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet, listeners })).rejects.toMatchObject({ kind: "invalid" })
    const provider = octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet, provider: "missing" })
    await expect(provider).rejects.toMatchObject({ kind: "invalid" })
  })

  row("a quota that is used up is its own error", async (tools) => {
    const { octavia } = tools.cloud
    const { project, serviceSubnet } = tools.place
    const { load_balancer = -1 } = await octavia.quota(project)
    tools.later(() => octavia.setQuota(project, { load_balancer }))
    await octavia.setQuota(project, { load_balancer: 0 })
    const create = octavia.loadBalancers.create({ vip_subnet_id: serviceSubnet })
    await expect(create).rejects.toMatchObject({ name: "QuotaExceeded", kind: "quota", refusal: { status: 403 } })
  })

  row("the version says what it can do", async ({ cloud }) => {
    expect(await cloud.octavia.minorVersion()).toBeGreaterThanOrEqual(5)
  })
}
