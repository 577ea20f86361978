import { expect, test } from "vitest"
import { testCloud } from "../../embedded/testing/cloud.ts"
import { openStack } from "../cloud.ts"

function old() {
  const { access, connect, clock, run, place, embedded } = testCloud()
  const { octavia, polls } = openStack({ access, connect, clock, loadBalancing: "neutron-lbaas" })
  return { octavia, polls, run, place, embedded }
}

function member(address: string) {
  return { address, protocol_port: 8080, name: address }
}

test("a tree is built and taken away step by step, over the paths of neutron-lbaas", async () => {
  const { octavia, polls, run, place, embedded } = old()
  const default_pool = {
    name: "p",
    protocol: "TCP" as const,
    lb_algorithm: "ROUND_ROBIN",
    members: [member("10.10.1.1"), member("10.10.1.2")],
    tags: ["x"],
  }
  const listeners = [{ name: "l", protocol: "TCP" as const, protocol_port: 80, default_pool }]
  const made = await run(() =>
    octavia.loadBalancers.create({ name: "ns/name", vip_subnet_id: place.serviceSubnet, listeners, tags: ["x"] }),
  )
  const balancer = await run(() => polls.untilActive(made.id))
  const [listener] = await run(() => octavia.listeners.list({ loadbalancer_id: made.id }))
  expect([made.tags, balancer.tags, listener?.tags]).toEqual([[], [], []])
  const { loadbalancer } = await run(() => octavia.loadBalancers.statusTree(made.id))
  expect(loadbalancer.listeners.map((one) => one.pools.map((pool) => pool.members.length))).toEqual([[2]])
  const [pool] = await run(() => octavia.pools.list({ loadbalancer_id: made.id }))
  await run(() => octavia.members(pool!.id).replaceAll([member("10.10.1.2"), member("10.10.1.3")]))
  await run(() => polls.untilActive(made.id))
  expect((await run(() => octavia.members(pool!.id).list())).map(({ address }) => address)).toEqual(["10.10.1.2", "10.10.1.3"])
  expect(await run(() => octavia.loadBalancers.delete(made.id, { cascade: true }))).toBe(true)
  await run(() => polls.untilGone(made.id))
  expect(embedded.octavia.pools.rows.size).toBe(0)
  expect(embedded.calls.filter((call) => call.service === "octavia")).toEqual([])
})

test("recognizes a busy load balancer by its type, StateInvalid", async () => {
  const { octavia, run, place } = old()
  const made = await run(() => octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet }))
  const early = run(() => octavia.listeners.create({ loadbalancer_id: made.id, protocol: "TCP", protocol_port: 80 }))
  await expect(early).rejects.toMatchObject({ kind: "busy", refusal: { service: "neutron", type: "StateInvalid" } })
  const duplicate = run(() => octavia.loadBalancers.create({ vip_subnet_id: place.serviceSubnet, vip_address: made.vip_address }))
  await expect(duplicate).rejects.toMatchObject({ kind: "address-taken" })
  expect(await run(() => octavia.minorVersion())).toBe(0)
})
