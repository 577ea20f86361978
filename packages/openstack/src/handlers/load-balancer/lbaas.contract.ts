import { describe, expect, test } from "vitest"
import type { LoadBalancer, NewLoadBalancer } from "../../clients/octavia/types.ts"
import { type CloudFixture, type ContractTools, withTools } from "../../clients/testing/cloud-fixture.ts"
import { type Marked, markedOwner } from "../../drivers/creation/cluster-marks.ts"
import { Marks } from "./marks.ts"

/** What the handlers ask of every way to make load balancers, octavia and lbaasv2. */
export function lbaasContract(driver: string, make: () => Promise<CloudFixture>): void {
  const row = (what: string, work: (tools: ContractTools) => Promise<void>) =>
    test(what, async () => withTools(await make(), `lbaas-${driver}`, work))

  describe(`the contract of load balancers: ${driver}`, () => {
    row("a tree with two members becomes ACTIVE, and is found with all its parts", async (tools) => {
      const { octavia, polls } = tools.cloud
      const { id } = await tree(tools)
      const active = await polls.untilActive(id)
      expect(active).toMatchObject({ name: tools.name, provisioning_status: "ACTIVE", vip_subnet_id: tools.place.serviceSubnet })
      const [[listener], [pool]] = await Promise.all([
        octavia.listeners.list({ loadbalancer_id: id }),
        octavia.pools.list({ loadbalancer_id: id }),
      ])
      expect(listener).toMatchObject({ protocol: "TCP", protocol_port: 80, default_pool_id: pool?.id })
      expect(await addresses(tools, pool!.id)).toEqual(["10.10.1.1", "10.10.1.2"])
      const { loadbalancer } = await octavia.loadBalancers.statusTree(id)
      expect(loadbalancer.listeners.map((one) => one.pools.map(({ members }) => members.length))).toEqual([[2]])
    })

    row("members become those that are asked for; the one that stays keeps its identity", async (tools) => {
      const { octavia, polls } = tools.cloud
      const { id } = await tree(tools)
      await polls.untilActive(id)
      const [pool] = await octavia.pools.list({ loadbalancer_id: id })
      const members = octavia.members(pool!.id)
      const memberId = async (address: string) => (await members.list()).find((one) => one.address === address)?.id
      const before = await memberId("10.10.1.2")
      await members.replaceAll([member(tools, "10.10.1.2"), member(tools, "10.10.1.3")])
      await polls.untilActive(id)
      expect(await addresses(tools, pool!.id)).toEqual(["10.10.1.2", "10.10.1.3"])
      expect(await memberId("10.10.1.2")).toBe(before)
      await members.replaceAll([])
      await polls.untilActive(id)
      expect(await addresses(tools, pool!.id)).toEqual([])
    })

    row("distinguishes a busy one from an address in use", async (tools) => {
      const { octavia } = tools.cloud
      const { id, vip_address } = await balancer(tools)
      const early = octavia.listeners.create({ loadbalancer_id: id, protocol: "TCP", protocol_port: 80 })
      await expect(early).rejects.toMatchObject({ kind: "busy", retryable: true })
      await expect(balancer(tools, { vip_address })).rejects.toMatchObject({ kind: "address-taken" })
    })

    row("each part can be marked with its owner once it exists, one after the other, and shows it", async (tools) => {
      const { octavia, polls } = tools.cloud
      const { id } = await tree(tools)
      await polls.untilActive(id)
      const [[listener], [pool]] = await Promise.all([
        octavia.listeners.list({ loadbalancer_id: id }),
        octavia.pools.list({ loadbalancer_id: id }),
      ])
      const mark = new Marks(octavia, { cluster: "one" }).of("its-owner")
      const answers: Marked[] = []
      const change = async (work: () => Promise<Marked>) => {
        answers.push(await work())
        await polls.untilActive(id)
      }
      await change(() => octavia.loadBalancers.update(id, mark))
      await change(() => octavia.listeners.update(listener!.id, mark))
      await change(() => octavia.pools.update(pool!.id, mark))
      const now = [await octavia.loadBalancers.get(id), await octavia.listeners.get(listener!.id), await octavia.pools.get(pool!.id)]
      expect(now.map(markedOwner)).toEqual(["its-owner", "its-owner", "its-owner"])
      // By its answer a cloud is known that takes a mark and forgets it.
      expect(answers.map(markedOwner)).toEqual(now.map(markedOwner))
    })

    row("a tree is made with the marks of all its parts", async (tools) => {
      const { octavia, polls } = tools.cloud
      const mark = new Marks(octavia, { cluster: "one" }).of("its-owner")
      const { id } = await tree(tools, mark)
      await polls.untilActive(id)
      const [listeners, pools] = [await octavia.listeners.list({ loadbalancer_id: id }), await octavia.pools.list({ loadbalancer_id: id })]
      const parts = [await octavia.loadBalancers.get(id), ...listeners, ...pools]
      expect(parts.map(markedOwner)).toEqual(["its-owner", "its-owner", "its-owner"])
    })

    row("taken away it leaves nothing, and to take it away again succeeds", async (tools) => {
      const { octavia, polls, neutron } = tools.cloud
      const { id } = await tree(tools)
      const { vip_port_id } = await polls.untilActive(id)
      expect(await octavia.loadBalancers.delete(id, { cascade: true })).toBe(true)
      await polls.untilGone(id)
      expect(await octavia.pools.list({ loadbalancer_id: id })).toEqual([])
      expect(await neutron.ports.find(vip_port_id)).toBeUndefined()
      expect(await octavia.loadBalancers.delete(id, { cascade: true })).toBe(false)
    })
  })
}

async function balancer(tools: ContractTools, more: Partial<NewLoadBalancer> = {}): Promise<LoadBalancer> {
  const { octavia, polls } = tools.cloud
  const made = await octavia.loadBalancers.create({ name: tools.name, vip_subnet_id: tools.place.serviceSubnet, ...more })
  tools.later(async () => {
    if ((await polls.untilChangeable(made.id)) === undefined) return
    await octavia.loadBalancers.delete(made.id, { cascade: true })
    await polls.untilGone(made.id)
  })
  return made
}

function tree(tools: ContractTools, mark: Marked = {}): Promise<LoadBalancer> {
  const members = [member(tools, "10.10.1.1"), member(tools, "10.10.1.2")]
  const default_pool = { name: "pool", protocol: "TCP" as const, lb_algorithm: "ROUND_ROBIN", members, ...mark }
  return balancer(tools, { ...mark, listeners: [{ name: "listener", protocol: "TCP", protocol_port: 80, ...mark, default_pool }] })
}

function member({ place }: ContractTools, address: string) {
  return { address, protocol_port: 8080, name: `pod ${address}`, subnet_id: place.serviceSubnet }
}

async function addresses({ cloud }: ContractTools, pool: string): Promise<readonly string[]> {
  return (await cloud.octavia.members(pool).list()).map(({ address }) => address).sort()
}
