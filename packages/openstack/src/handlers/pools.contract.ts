import { pods } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { vifAnnotation } from "./annotations.ts"
import { type HandlersSubject, listPorts, type MakeHandlers, podIn, removePod, served, vifOn } from "./testing/subject.ts"

const sizes = { ports_pool_min: 5, ports_pool_batch: 10, ports_pool_max: 20, ports_pool_update_frequency: 1 }

const ways = {
  noop: { vif_pool_driver: "noop" },
  neutron: { vif_pool_driver: "neutron" },
  nested: { vif_pool_driver: "nested", pod_vif_driver: "nested-vlan" },
} as const

/** Bursts of pods with every way of keeping spare ports. */
export function vifPoolHandlerContract(name: string, make: MakeHandlers, count = 50): void {
  const on = (way: keyof typeof ways, more: Readonly<Record<string, string>> = {}) =>
    make({ sections: { kubernetes: { enabled_handlers: "vif", ...ways[way], ...more }, vif_pool: sizes } })

  describe(`bursts of pods: ${name}`, () => {
    test.each(Object.keys(ways) as (keyof typeof ways)[])(
      `${count} pods with the pool %s, each with a port of its own; none is left`,
      async (way) => {
        await using run = await on(way)
        const names = Array.from({ length: count }, (_, at) => `web-${at}`)
        for (const pod of names) await run.cluster.apply(podIn(pod))
        await allActive(run)
        const owned = new Set(await Promise.all(names.map(async (pod) => (await vifOn(run, pod))?.id)))
        expect(owned.size).toBe(count)
        const found = (await listPorts(run)).filter(({ id }) => owned.has(id))
        expect(found).toHaveLength(count)
        expect(found.every(({ status }) => status === "ACTIVE")).toBe(true)
        for (const pod of names) await removePod(run, pod)
        // What the pool keeps is spare, and no more than it may keep.
        await run.until(async () => {
          const left = await listPorts(run)
          return left.length <= (way === "noop" ? 0 : sizes.ports_pool_max) && left.every((port) => port.name === "available-port")
        })
      },
    )

    test("nested-vlan: a subport of the node's trunk with a VLAN of its own, which leaves the trunk with the pod", async () => {
      await using run = await on("nested", { vif_pool_driver: "noop" })
      await run.cluster.apply(podIn("web-1"))
      await run.cluster.apply(podIn("web-2"))
      await allActive(run)
      const vifs = [await vifOn(run, "web-1"), await vifOn(run, "web-2")]
      const vlans = vifs.map((vif) => (vif?.type === "VIFVlanNested" ? vif.vlan_id : undefined))
      const subports = async () => (await run.cloud.neutron.trunks.list()).flatMap(({ sub_ports }) => sub_ports)
      const mine = (await subports()).filter(({ port_id }) => vifs.some((vif) => vif?.id === port_id))
      expect(mine.map(({ segmentation_id }) => segmentation_id).sort()).toEqual([...vlans].sort())
      expect(new Set(vlans).size).toBe(2)
      await removePod(run, "web-1")
      await removePod(run, "web-2")
      await run.until(async () => (await listPorts(run)).length === 0)
      expect((await subports()).filter(({ port_id }) => vifs.some((vif) => vif?.id === port_id))).toEqual([])
    })

    test("nested-macvlan: the pod's address is allowed on the node's port, and no longer when it goes", async () => {
      await using run = await on("nested", { vif_pool_driver: "noop", pod_vif_driver: "nested-macvlan" })
      await run.cluster.apply(podIn("web-1"))
      await allActive(run)
      const address = (await vifOn(run, "web-1"))?.network?.subnets?.[0]?.ips?.[0]?.address
      const [parent] = await run.cloud.neutron.ports.list({ name: "node1" })
      const allowed = async () => (await run.cloud.neutron.ports.get(parent!.id)).allowed_address_pairs.map(({ ip_address }) => ip_address)
      expect(await allowed()).toEqual([address])
      await removePod(run, "web-1")
      await run.until(async () => (await listPorts(run)).length === 0)
      expect(await allowed()).toEqual([])
    })
  })
}

function allActive(run: HandlersSubject): Promise<void> {
  return run.until(async () => {
    const all = await run.cluster.list(pods, { namespace: served })
    return all.every(({ metadata }) => metadata.annotations?.[vifAnnotation]?.includes('"active": true'))
  })
}
