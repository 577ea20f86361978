import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { openStack } from "../clients/cloud.ts"
import type { Port } from "../clients/neutron/types.ts"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { ownerIn } from "./identity.ts"
import { NestedVlan } from "./nested-vlan.ts"
import { neutronVif } from "./neutron-vif.ts"
import type { PodPort, PodVifDriver } from "./pod-vif.ts"
import { type VifPoolSubject, vifPoolContract } from "./vif-pool.contract.ts"
import { VifPool } from "./vif-pool.ts"

const sizes = { min: 2, max: 4, batch: 3, updateFrequency: 20_000 }

async function on(name: "noop" | "neutron" | "nested"): Promise<VifPoolSubject> {
  const clock = new VirtualClock()
  const cloud = new EmbeddedOpenStack({ clock, random: seededRandom(1) })
  const { neutron } = openStack({ access: cloud.access(), connect: cloud.connect, clock })
  const { project, podNetwork, podSubnet, podSecurityGroup, nodeNetwork, nodeSubnet } = cloud.seed
  const fixed_ips = [{ subnet_id: nodeSubnet, ip_address: "192.168.0.10" }]
  const { id } = await neutron.ports.create({ network_id: nodeNetwork, name: "node1", fixed_ips })
  await neutron.trunks.create({ port_id: id })
  const identity = { cluster: "one" }
  const driver =
    name === "nested"
      ? new NestedVlan({ neutron, identity, project, nodesSubnet: nodeSubnet, random: seededRandom(2) })
      : neutronVif(neutron, identity, project)
  const place = { node: "node1", hostIp: "192.168.0.10", project, network: podNetwork, subnets: [podSubnet], groups: [podSecurityGroup] }
  return {
    pool: () => new VifPool({ driver, identity, clock, log: silentLog, sizes: name === "noop" ? undefined : sizes }),
    wish: (pod) => ({ ...place, pod }),
    owners: async () => [...cloud.neutron.ports.values()].flatMap((port) => ownerIn(port) ?? []),
    settle: () => clock.advance("1m"),
    moment: () => Promise.resolve(),
  }
}

const web = { uid: "11111111-2222-4333-8444-555555555555", namespace: "default", name: "web" }
const wish = { pod: web, node: "node1", hostIp: "192.168.0.10", project: "p", network: "n", subnets: ["s"], groups: [] }

/** On a cloud that answers lists and nothing else, ever. */
function stuckPool(ports: readonly PodPort[] = []) {
  const stuck = () => new Promise<never>(() => {})
  const driver = {
    list: async () => ports,
    create: stuck,
    remove: stuck,
    hostOf: () => "node1",
    activeAtOnce: false,
  } as unknown as PodVifDriver
  return new VifPool({ driver, identity: { cluster: "one" }, clock: new VirtualClock(), log: silentLog })
}

const waits: readonly (readonly [string, (signal: AbortSignal) => Promise<unknown>])[] = [
  ["a port that is made", (signal) => stuckPool().request(wish, signal)],
  [
    "a port that is made for somebody else who asked",
    (signal) => {
      const pool = stuckPool()
      void pool.request(wish, new AbortController().signal)
      return pool.request(wish, signal)
    },
  ],
  [
    "the end of a port that is still being made",
    (signal) => {
      const pool = stuckPool()
      void pool.request(wish, new AbortController().signal)
      return Promise.resolve().then(() => pool.release(web, signal))
    },
  ],
  [
    "the end of its port",
    async (signal) => {
      const pool = stuckPool([{ port: { id: "its", description: "" } as Port }])
      await pool.load(() => [{ uid: web.uid, port: "its" }], new AbortController().signal)
      return pool.release(web, signal)
    },
  ],
]

test.each(waits)("whoever waits for %s can stop waiting", async (_, wait) => {
  const stop = new AbortController()
  const waiting = wait(stop.signal)
  const early = await Promise.race([waiting.catch(() => "over"), new VirtualClock().advance("1s").then(() => "waits")])
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: "ABORTED" })
  expect(early).toBe("waits")
})

for (const name of ["noop", "neutron", "nested"] as const) vifPoolContract(name, () => on(name))
