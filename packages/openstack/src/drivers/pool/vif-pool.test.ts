import { PilothouseError, seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { openStack } from "../../clients/cloud.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { EmbeddedOpenStack } from "../../embedded/embedded-open-stack.ts"
import { markDescription, markedOwner } from "../creation/cluster-marks.ts"
import { NestedVlan } from "../vif/nested-vlan.ts"
import { neutronVif } from "../vif/neutron-vif.ts"
import type { PodPort, PodVifDriver, PortRequest } from "../vif/pod-vif.ts"
import type { KnownPod } from "./found-ports.ts"
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
  const clusterMarks = { cluster: "one" }
  const driver =
    name === "nested"
      ? new NestedVlan({ neutron, clusterMarks, project, nodesSubnet: nodeSubnet, random: seededRandom(2) })
      : neutronVif(neutron, clusterMarks, project)
  const place = { node: "node1", hostIp: "192.168.0.10", project, network: podNetwork, subnets: [podSubnet], groups: [podSecurityGroup] }
  return {
    pool: () => new VifPool({ driver, clusterMarks, clock, log: silentLog, sizes: name === "noop" ? undefined : sizes, grace: "1s" }),
    count: async () => (await driver.list(new AbortController().signal)).length,
    request: (pod) => ({ ...place, pod }),
    owners: async () => [...cloud.neutron.ports.values()].flatMap((port) => markedOwner(port) ?? []),
    settle: () => clock.advance("1m"),
    moment: () => Promise.resolve(),
  }
}

const web = { uid: "11111111-2222-4333-8444-555555555555", namespace: "default", name: "web" }
const request = { pod: web, node: "node1", hostIp: "192.168.0.10", project: "p", network: "n", subnets: ["s"], groups: [] }

/** On a cloud that answers lists and nothing else, ever. */
function stuckPool(ports: readonly PodPort[] = []) {
  const stuck = () => new Promise<never>(() => {})
  const driver = {
    list: async () => ports,
    create: stuck,
    remove: stuck,
    hostFor: () => "node1",
    activeAtOnce: false,
  } as unknown as PodVifDriver
  return new VifPool({ driver, clusterMarks: { cluster: "one" }, clock: new VirtualClock(), log: silentLog })
}

const waits: readonly (readonly [string, (signal: AbortSignal) => Promise<unknown>])[] = [
  ["a port that is made", (signal) => stuckPool().request(request, signal)],
  [
    "a port that is created for another caller",
    (signal) => {
      const pool = stuckPool()
      void pool.request(request, new AbortController().signal)
      return pool.request(request, signal)
    },
  ],
  [
    "the end of a port that is still being made",
    (signal) => {
      const pool = stuckPool()
      void pool.request(request, new AbortController().signal)
      return Promise.resolve().then(() => pool.release(web, signal))
    },
  ],
  [
    "the end of its port",
    async (signal) => {
      const pool = stuckPool([{ port: { id: "its", description: "" } as Port }])
      await pool.load({ pods: () => [{ uid: web.uid, port: "its" }] }, new AbortController().signal)
      return pool.release(web, signal)
    },
  ],
]

test.each(waits)("a caller that waits for %s can abort", async (_, wait) => {
  const stop = new AbortController()
  const waiting = wait(stop.signal)
  const early = await Promise.race([waiting.catch(() => "over"), new VirtualClock().advance("1s").then(() => "waits")])
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ code: "ABORTED" })
  expect(early).toBe("waits")
})

const { signal } = new AbortController()
const clusterMarks = { cluster: "one" }
const place = { project_id: "p", network_id: "n", security_groups: [], fixed_ips: [] }
const testPort = (id: string, uid: string): PodPort => ({
  port: { ...place, id, name: uid, device_id: uid, description: markDescription(clusterMarks, uid) } as unknown as Port,
  host: "node1",
})

test("ports of unknown pods at the start: a pod that appears with its annotation keeps its port; one port that cannot be deleted does not delay the others", async () => {
  const clock = new VirtualClock()
  const removed: string[] = []
  const driver = {
    list: async () => ["late", "gone-1", "stuck", "gone-2"].map((uid) => testPort(`of-${uid}`, uid)),
    remove: async (ports: readonly PodPort[]) => {
      if (ports.some(({ port }) => port.id === "of-stuck")) throw new PilothouseError("CLOUD", "its trunk refuses")
      removed.push(...ports.map(({ port }) => port.id))
    },
  } as unknown as PodVifDriver
  const pool = new VifPool({ driver, clusterMarks, clock, log: silentLog })
  using _listening = pool.background.listen(() => {})
  const known: KnownPod[] = []
  await pool.load({ pods: () => known }, signal)
  known.push({ uid: "late", port: "of-late" })
  await clock.advance("2m")
  expect([removed.toSorted(), pool.podPort("late")?.port.id]).toEqual([["of-gone-1", "of-gone-2"], "of-late"])
})

test("a pod that was given a spare port while its own was not answered keeps it, whatever is found later; that one is spare", async () => {
  const clock = new VirtualClock()
  const its = Promise.withResolvers<readonly PodPort[]>()
  const recycled: string[] = []
  const driver = {
    list: async () => [],
    find: async () => [testPort("found", web.uid), testPort("given", web.uid)],
    create: async (requests: readonly PortRequest[]) => {
      if (requests[0]?.pod !== undefined) return its.promise
      await clock.sleep(65_000, { name: "the pool" })
      return [testPort("given", "")]
    },
    complete: async (port: PodPort) => port,
    assign: async (port: PodPort) => port,
    recycle: async (port: PodPort) => {
      recycled.push(port.port.id)
      return port
    },
    hostFor: () => "node1",
  } as unknown as PodVifDriver
  const pool = new VifPool({ driver, clusterMarks, clock, log: silentLog, sizes: { min: 1, max: 3, batch: 1, updateFrequency: 600_000 } })
  await pool.load({ pods: () => [] }, signal)
  const waiting = pool.request(request, signal).catch((error: PilothouseError) => error.code)
  await clock.advance("61s")
  expect(await waiting).toBe("TIMEOUT")
  await clock.advance("10s")
  expect((await pool.request(request, signal)).port.id).toBe("given")
  its.reject(new PilothouseError("TIMEOUT", "no answer"))
  await clock.advance("1s")
  expect((await pool.request(request, signal)).port.id).toBe("given")
  using _listening = pool.background.listen(() => {})
  await clock.advance("11m")
  expect([recycled, pool.podPort(web.uid)?.port.id]).toEqual([["found"], "given"])
})

test("a pod that gives its port back before the create of it is answered, and asks again: the answer gives it nothing that is another's by then", async () => {
  const clock = new VirtualClock()
  const its = Promise.withResolvers<readonly PodPort[]>()
  const driver = {
    list: async () => [],
    find: async () => [testPort("only", web.uid)],
    create: async (requests: readonly PortRequest[]) => {
      if (requests[0]?.pod?.uid === web.uid) return its.promise
      throw new PilothouseError("CLOUD", "there is no more than one")
    },
    assign: async (port: PodPort) => port,
    recycle: async (port: PodPort) => port,
    hostFor: () => "node1",
  } as unknown as PodVifDriver
  const pool = new VifPool({ driver, clusterMarks, clock, log: silentLog, sizes: { min: 1, max: 3, batch: 1, updateFrequency: 20_000 } })
  await pool.load({ pods: () => [] }, signal)
  const waiting = pool.request(request, signal).catch((error: PilothouseError) => error.code)
  await clock.advance("61s")
  expect([await waiting, (await pool.request(request, signal)).port.id]).toEqual(["TIMEOUT", "only"])
  await pool.release(web, signal)
  await expect(pool.request(request, signal)).rejects.toMatchObject({ code: "RETRY_AFTER" })
  its.resolve([testPort("only", web.uid)])
  using _listening = pool.background.listen(() => {})
  await clock.advance("21s")
  const db = { ...request, pod: { ...web, uid: "db" } }
  expect([(await pool.request(db, signal)).port.id, pool.podPort(web.uid)]).toEqual(["only", undefined])
})

for (const name of ["noop", "neutron", "nested"] as const) vifPoolContract(name, () => on(name))
