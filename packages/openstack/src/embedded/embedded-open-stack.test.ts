import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import { EmbeddedOpenStack } from "./embedded-open-stack.ts"
import { testCloud } from "./testing/cloud.ts"

function cloudWith(knobs: Parameters<typeof testCloud>[0] = {}) {
  const made = testCloud(knobs)
  const { access, connect, clock } = made
  return { ...made, cloud: openStack({ access, connect, clock, retries: 0 }) }
}

describe("knobs", () => {
  test("a bound port turns ACTIVE after the agent's delay, or never", async () => {
    const { cloud, run, place, clock, embedded } = cloudWith({ knobs: { portDelay: 3_000 } })
    const requested = { network_id: place.podNetwork, "binding:host_id": place.host }
    const { id } = await run(() => cloud.neutron.ports.create(requested))
    await clock.advance("2900ms")
    expect(embedded.neutron.ports.get(id).status).toBe("DOWN")
    await clock.advance("200ms")
    expect(embedded.neutron.ports.get(id).status).toBe("ACTIVE")
    embedded.knobs.portDelay = "never"
    const other = await run(() => cloud.neutron.ports.create(requested))
    await clock.advance("1h")
    expect(embedded.neutron.ports.get(other.id).status).toBe("DOWN")
  })

  test("a subport is bound to its parent's host and turns ACTIVE", async () => {
    const { cloud, run, place, clock, embedded } = cloudWith()
    const make = () => run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }))
    const [parent, child] = [await make(), await make()]
    const trunk = await run(() => cloud.neutron.trunks.create({ port_id: parent.id }))
    await run(() => cloud.neutron.ports.update(parent.id, { "binding:host_id": place.host }))
    await run(() => cloud.neutron.trunks.addSubports(trunk.id, [{ port_id: child.id, segmentation_type: "vlan", segmentation_id: 5 }]))
    await clock.advance("2s")
    const bound = { status: "ACTIVE", device_owner: "trunk:subport", "binding:host_id": place.host, "binding:vif_type": "ovs" }
    expect(embedded.neutron.ports.get(child.id)).toMatchObject(bound)
  })

  test("slow work is done, also when the client has gone", async () => {
    const { cloud, run, place, clock, embedded } = cloudWith({
      fault: ({ path }) => (path === "/v2.0/ports" ? { takes: 20_000 } : undefined),
    })
    const before = embedded.neutron.ports.size
    const made = run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }, { timeout: "10s" }))
    await expect(made).rejects.toMatchObject({ code: "TIMEOUT" })
    await clock.advance("9s")
    expect(embedded.neutron.ports.size).toBe(before)
    await clock.advance("2s")
    expect(embedded.neutron.ports.size).toBe(before + 1)
  })

  test("an answer that comes late: what was done is there meanwhile", async () => {
    const { cloud, run, place, clock, embedded } = cloudWith({
      fault: ({ path }) => (path === "/v2.0/ports" ? { answersAfter: 20_000 } : undefined),
    })
    await run(() => cloud.keystone.token())
    const [before, from] = [embedded.neutron.ports.size, clock.elapsed()]
    const made = cloud.neutron.ports.create({ network_id: place.podNetwork })
    await clock.advance("1s")
    expect(embedded.neutron.ports.size).toBe(before + 1)
    await run(() => made)
    expect(clock.elapsed() - from).toBe(20_000)
  })

  test("work that fails leaves the child in ERROR and the load balancer ACTIVE", async () => {
    const { cloud, run, place, embedded } = cloudWith()
    const { id } = await run(() => cloud.octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet }))
    await run(() => cloud.polls.untilActive(id))
    embedded.knobs.loadBalancerFails = true
    const listener = await run(() => cloud.octavia.listeners.create({ loadbalancer_id: id, protocol: "TCP", protocol_port: 80 }))
    await run(() => cloud.polls.untilActive(id))
    expect((await run(() => cloud.octavia.listeners.get(listener.id))).provisioning_status).toBe("ERROR")
  })

  test("a load balancer in ERROR takes no changes, and can be deleted", async () => {
    const { cloud, run, place, embedded } = cloudWith({ knobs: { loadBalancerFails: true } })
    const { id } = await run(() => cloud.octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet }))
    await run(() => cloud.polls.untilChangeable(id))
    await expect(run(() => cloud.octavia.loadBalancers.update(id, { name: "x" }))).rejects.toMatchObject({ kind: "busy" })
    embedded.knobs.loadBalancerFails = false
    await run(() => cloud.octavia.loadBalancers.delete(id, { cascade: true }))
    await run(() => cloud.polls.untilGone(id))
    expect([...embedded.neutron.ports.values()].filter((port) => port.device_owner === "Octavia")).toEqual([])
  })

  test("every call takes its time", async () => {
    const { cloud, run, clock } = cloudWith({ knobs: { latency: 250 } })
    await run(() => cloud.neutron.networks.list())
    expect(clock.elapsed()).toBe(500)
  })
})

describe("the address of a load balancer", () => {
  test("is guarded by a group with a rule for each listener, which goes with it", async () => {
    const { cloud, run, place, embedded } = cloudWith()
    const listeners = [{ protocol: "TCP" as const, protocol_port: 80, allowed_cidrs: ["10.0.0.0/8", "192.0.2.0/24"] }]
    const made = await run(() => cloud.octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet, listeners }))
    await run(() => cloud.polls.untilActive(made.id))
    const group = [...embedded.neutron.securityGroups.values()].find(({ name }) => name === `lb-${made.id}`)
    expect(embedded.neutron.ports.get(made.vip_port_id).security_groups).toEqual([group?.id])
    const rules = [...embedded.neutron.rules.values()].filter(
      (rule) => rule.security_group_id === group?.id && rule.direction === "ingress",
    )
    expect(rules.map((rule) => `${rule.port_range_min} ${rule.remote_ip_prefix}`)).toEqual([
      "80 10.0.0.0/8",
      "80 192.0.2.0/24",
      "1025 null",
    ])
    await run(() => cloud.octavia.loadBalancers.delete(made.id, { cascade: true }))
    await run(() => cloud.polls.untilGone(made.id))
    expect(embedded.neutron.securityGroups.find(group!.id)).toBeUndefined()
  })

  test("that the user's own port has stays with the port", async () => {
    const { cloud, run, place, embedded } = cloudWith()
    const fixed_ips = [{ subnet_id: place.serviceSubnet, ip_address: "10.20.0.9" }]
    const network = embedded.neutron.subnets.get(place.serviceSubnet).network_id
    const port = await run(() => cloud.neutron.ports.create({ network_id: network, fixed_ips }))
    const made = await run(() => cloud.octavia.loadBalancers.create({ vip_port_id: port.id }))
    expect(made.vip_address).toBe("10.20.0.9")
    await run(() => cloud.polls.untilActive(made.id))
    await run(() => cloud.octavia.loadBalancers.delete(made.id, { cascade: true }))
    await run(() => cloud.polls.untilGone(made.id))
    expect(await run(() => cloud.neutron.ports.find(port.id))).toBeDefined()
  })
})

test("a fault plays on one call: an error, a lost answer after the work, a lost request before it", async () => {
  const { cloud, run, place, embedded } = cloudWith()
  await run(() => cloud.keystone.token())
  const create = () => run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }))
  const count = () => embedded.neutron.ports.size
  const before = count()
  embedded.fault = () => ({ status: 503 })
  await expect(create()).rejects.toMatchObject({ kind: "unavailable" })
  embedded.fault = () => ({ loseRequest: true })
  await expect(create()).rejects.toMatchObject({ code: "CONNECTION_LOST" })
  expect(count()).toBe(before)
  embedded.fault = () => ({ loseAnswer: true })
  await expect(create()).rejects.toMatchObject({ code: "CONNECTION_LOST" })
  expect(count()).toBe(before + 1)
})

test("an address that became free is not given out at once", async () => {
  const { cloud, run, place } = cloudWith()
  const make = () => run(() => cloud.neutron.ports.create({ network_id: place.podNetwork }))
  const first = await make()
  await run(() => cloud.neutron.ports.delete(first.id))
  expect((await make()).fixed_ips[0]?.ip_address).not.toBe(first.fixed_ips[0]?.ip_address)
})

test.each([
  ["keystone", "/", 300, /"values":\[\{"id":"v3/],
  ["keystone", "/v3", 200, /"version":\{"id":"v3/],
  ["neutron", "/", 200, /"id":"v2.0","status":"CURRENT"/],
  ["octavia", "/", 200, /"id":"v2.26","status":"CURRENT"/],
] as const)("%s shows its versions at %s without a token, as other clients read them first", async (service, path, status, text) => {
  const { connect } = cloudWith()
  const answer = await connect(`http://${service}.embedded`)({ verb: "GET", path, query: {}, headers: {} })
  expect(answer.status).toBe(status)
  expect(JSON.stringify(answer.body.type === "value" ? answer.body.value : undefined)).toMatch(text)
})

test("as many of the newest calls are kept as were asked for", async () => {
  const clock = new VirtualClock()
  const few = new EmbeddedOpenStack({ clock, random: seededRandom(1), keepCalls: 2 })
  const { neutron } = openStack({ access: few.access(), connect: few.connect, clock })
  for (let at = 0; at < 3; at++) await neutron.networks.list()
  expect(few.calls.map(({ index }) => index)).toEqual([2, 3])
})
