import { describe, expect, test } from "vitest"
import { nodeAt, prefix, providerWith, serviceWith, type TestProvider } from "./testing/provider.ts"

const a = nodeAt("a", "192.168.0.10")
const port = (number: number) => [{ port: number, nodePort: 30_000 + number, protocol: "TCP" as const }]

/** A Service with a balancer of its own, and others that name it. */
async function owned(stage: TestProvider) {
  const owner = serviceWith({ name: "owner", uid: "owner", spec: { ports: port(80) } })
  const { annotations = {} } = await stage.balancers.ensure(owner, [a], stage.signal)
  const id = annotations[`${prefix}load-balancer-id`]!
  const guest = (name: string, number: number, more: Readonly<Record<string, string>> = {}) =>
    serviceWith({ name, uid: name, annotations: { "load-balancer-id": id, ...more }, spec: { ports: port(number) } })
  return { owner: { ...owner, metadata: { ...owner.metadata, annotations } }, id, guest }
}

function there({ embedded: { octavia } }: TestProvider) {
  return {
    balancers: octavia.balancers.where(() => true).length,
    tags: octavia.balancers.where(() => true)[0]?.tags.map((tag) => tag.split("_").at(-1)),
    listeners: octavia.listeners.where(() => true).map((one) => `${one.protocol_port} ${one.tags[0]?.split("_").at(-1)}`),
  }
}

test("two Services share a balancer: listeners of each, tags of both; who goes takes only its own, the last one all of it", async () => {
  await using stage = providerWith()
  const { owner, guest } = await owned(stage)
  const { status } = await stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
  expect(there(stage)).toEqual({ balancers: 1, tags: ["owner", "guest"], listeners: ["80 owner", "81 guest"] })
  expect(status).toEqual(await stage.balancers.get(owner, stage.signal))
  const before = stage.embedded.writes
  await stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
  await stage.balancers.ensure(owner, [a], stage.signal)
  expect(stage.embedded.writes).toBe(before)
  await stage.balancers.ensureDeleted(owner, stage.signal)
  expect(there(stage)).toEqual({ balancers: 1, tags: ["guest"], listeners: ["81 guest"] })
  expect(stage.embedded.neutron.floatingIps.size).toBe(1)
  await stage.balancers.ensureDeleted(guest("guest", 81), stage.signal)
  expect([there(stage).balancers, stage.embedded.neutron.floatingIps.size]).toEqual([0, 0])
})

test.each([
  ["a user's", "mine"],
  ["of another cluster", "Floating IP for Kubernetes external service default/owner from cluster two"],
])("a floating IP that is %s outlives the last one of those who share the balancer", async (_, description) => {
  await using stage = providerWith()
  const { owner, guest } = await owned(stage)
  await stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
  for (const { id } of await stage.cloud.neutron.floatingIps.list()) await stage.cloud.neutron.floatingIps.update(id, { description })
  await stage.balancers.ensureDeleted(owner, stage.signal)
  await stage.balancers.ensureDeleted(guest("guest", 81), stage.signal)
  expect([there(stage).balancers, stage.embedded.neutron.floatingIps.size]).toEqual([0, 1])
})

describe("Services that come and go at once lose no tag of each other", () => {
  const three = () => providerWith(() => ({ maxSharedBalancers: 3 }))

  test("two that come, and then the owner goes: both are still there", async () => {
    await using stage = three()
    const { owner, guest } = await owned(stage)
    const both = [guest("one", 81), guest("two", 82)]
    await Promise.all(both.map((one) => stage.balancers.ensure(one, [a], stage.signal)))
    expect(there(stage).tags?.toSorted()).toEqual(["one", "owner", "two"])
    await stage.balancers.ensureDeleted(owner, stage.signal)
    await stage.balancers.ensureDeleted(both[0]!, stage.signal)
    expect(there(stage)).toEqual({ balancers: 1, tags: ["two"], listeners: ["82 two"] })
  })

  test("one that comes while another goes", async () => {
    await using stage = three()
    const { guest } = await owned(stage)
    await stage.balancers.ensure(guest("goes", 81), [a], stage.signal)
    await Promise.all([
      stage.balancers.ensureDeleted(guest("goes", 81), stage.signal),
      stage.balancers.ensure(guest("comes", 82), [a], stage.signal),
    ])
    expect(there(stage)).toEqual({ balancers: 1, tags: ["owner", "comes"], listeners: ["80 owner", "82 comes"] })
  })

  test("two that go take the balancer away", async () => {
    await using stage = three()
    const { owner, guest } = await owned(stage)
    await stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
    await Promise.all([owner, guest("guest", 81)].map((one) => stage.balancers.ensureDeleted(one, stage.signal)))
    expect([there(stage).balancers, stage.embedded.neutron.floatingIps.size]).toEqual([0, 0])
  })

  test("one that comes while the balancer goes has its own", async () => {
    await using stage = three()
    const { owner, id, guest } = await owned(stage)
    const { annotations: _, ...plain } = guest("guest", 81).metadata
    await stage.balancers.ensure({ ...guest("guest", 81), metadata: plain }, [a], stage.signal)
    const coming = () => stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
    const [, { annotations }] = await Promise.all([stage.balancers.ensureDeleted(owner, stage.signal), coming()])
    expect(annotations?.[`${prefix}load-balancer-id`]).not.toBe(id)
    expect(there(stage)).toEqual({ balancers: 1, tags: ["guest"], listeners: ["81 guest"] })
  })

  test("one of another process that comes meanwhile keeps its tag", async () => {
    await using stage = three()
    const { id, guest } = await owned(stage)
    const { tags } = stage.embedded.octavia.balancers.get(id)
    stage.embedded.fault = ({ verb, path }) => {
      if (verb !== "POST" || !path.endsWith("/pools")) return undefined
      stage.embedded.octavia.balancers.change(id, { tags: [...tags, "kube_service_one_default_other_other"] })
    }
    await stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
    expect(there(stage).tags).toEqual(["owner", "other", "guest"])
  })
})

test.each([
  ["more Services than max-shared-lb", 82, {}, /already shared with 2 Services/],
  ["an internal Service", 82, { "service.beta.kubernetes.io/openstack-internal-load-balancer": "true" }, /internal Service cannot share/],
  ["a port that another Service has", 80, {}, /the listener port 80 already exists/],
])("refused: %s", async (what, number, more, message) => {
  await using stage = providerWith()
  const { guest } = await owned(stage)
  if (what.startsWith("more")) await stage.balancers.ensure(guest("second", 81), [a], stage.signal)
  await expect(stage.balancers.ensure(guest("guest", number, more), [a], stage.signal)).rejects.toThrow(message)
  expect(there(stage).listeners).not.toContain(`${number} guest`)
})

test("a balancer that a user made: its listeners stay, no floating IP is hung on it, and it outlives the Service", async () => {
  await using stage = providerWith()
  const { nodeSubnet: vip_subnet_id } = stage.embedded.seed
  const made = await stage.cloud.octavia.loadBalancers.create({
    name: "a user's",
    vip_subnet_id,
    listeners: [{ name: "theirs", protocol: "TCP", protocol_port: 443 }],
  })
  const guest = serviceWith({ annotations: { "load-balancer-id": made.id } })
  await expect(stage.balancers.ensure(guest, [a], stage.signal)).rejects.toThrow(/only owner Service can do that/)
  expect([...stage.embedded.neutron.floatingIps.values()]).toEqual([])
  const { publicNetwork: floating_network_id } = stage.embedded.seed
  await stage.cloud.neutron.floatingIps.create({ floating_network_id, port_id: made.vip_port_id })
  await stage.balancers.ensure(guest, [a], stage.signal)
  expect(there(stage).listeners).toHaveLength(2)
  await stage.balancers.ensureDeleted(guest, stage.signal)
  expect([there(stage).balancers, there(stage).listeners, stage.embedded.neutron.floatingIps.size]).toEqual([1, ["443 undefined"], 1])
})

test("a shared balancer in ERROR is for its owner to mend, and not taken away from those who share it", async () => {
  await using stage = providerWith()
  const { owner, id, guest } = await owned(stage)
  await stage.balancers.ensure(guest("guest", 81), [a], stage.signal)
  stage.embedded.octavia.balancers.change(id, { provisioning_status: "ERROR" })
  await expect(stage.balancers.ensure(guest("guest", 81), [a], stage.signal)).rejects.toThrow(/ERROR; its owner has to mend it/)
  await expect(stage.balancers.ensure(owner, [a], stage.signal)).rejects.toThrow(/ERROR; others share it/)
  expect(there(stage).balancers).toBe(1)
})
