import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { OpenStackError, type RefusalKind } from "../../clients/calls/errors.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { NewPort, Port, SubPort } from "../../clients/neutron/types.ts"
import { isClearRefusal } from "../creation/create-refused.ts"
import { NestedVlan } from "./nested-vlan.ts"
import { PartialCreateError } from "./partial-create-error.ts"

const { signal } = new AbortController()
const request = { node: "node1", hostIp: "192.168.0.10", project: "p", network: "n", subnets: ["s"], groups: [] }

function refusal(kind: RefusalKind): OpenStackError {
  return new OpenStackError({ service: "neutron", kind, status: 409, type: "", call: "PUT /v2.0/trunks/t/add_subports", text: "taken" })
}

/** A trunk with these VLANs taken, that refuses so many additions first; and what was deleted. */
function trunkThat({ refuses = 0, taken = [] as readonly number[], kind = "duplicate" as RefusalKind, trunk = true }) {
  const tries: (readonly SubPort[])[] = []
  const deleted: string[] = []
  const bodies: NewPort[] = []
  const sub_ports = taken.map((segmentation_id) => ({ port_id: `other-${segmentation_id}`, segmentation_type: "vlan", segmentation_id }))
  const one = { id: "t", port_id: "parent", sub_ports }
  const neutron = {
    ports: {
      list: async () => [{ id: "parent", ...(trunk && { trunk_details: { trunk_id: "t", sub_ports: [] } }) }],
      createMany: async (requested: readonly NewPort[]) => {
        bodies.push(...requested)
        return requested.map((_, at) => ({ id: `port-${at}` }) as Port)
      },
      delete: async (id: string) => deleted.push(id),
    },
    trunks: {
      get: async () => one,
      list: async () => [one],
      addSubports: async (_id: string, some: readonly SubPort[]) => {
        if (tries.push(some) <= refuses) throw refusal(kind)
      },
    },
  } as unknown as Neutron
  const driver = new NestedVlan({ neutron, clusterMarks: { cluster: "one" }, project: "p", nodesSubnet: "nodes", random: seededRandom(1) })
  return { driver, neutron, tries, deleted, bodies }
}

test("chooses another VLAN, twice at most, when another client was quicker", async () => {
  const { driver, tries, deleted } = trunkThat({ refuses: 2 })
  const [made] = await driver.create([request], signal)
  expect(tries).toHaveLength(3)
  expect(made?.vlanId).toBe(tries[2]?.[0]?.segmentation_id)
  expect(deleted).toEqual([])
})

test("refused three times: the ports of the whole batch are deleted, and the refusal is thrown", async () => {
  const { driver, tries, deleted } = trunkThat({ refuses: 9 })
  await expect(driver.create([request, request], signal)).rejects.toMatchObject({ kind: "duplicate" })
  expect([tries.length, deleted.sort()]).toEqual([3, ["port-0", "port-1"]])
})

test("a failed rollback is no clear refusal, so that the next request searches first", async () => {
  const { driver, neutron } = trunkThat({ refuses: 9 })
  neutron.ports.delete = () => Promise.reject(refusal("in-use"))
  const error = await driver.create([request], signal).catch((one: unknown) => one)
  expect(isClearRefusal(error)).toBe(false)
  expect(error).toMatchObject({
    retryable: true,
    message: expect.stringMatching(/taken; what was made of it could not be removed: .*taken/),
  })
})

test("a port that was left on no trunk is put on it; one that has a VLAN is left alone", async () => {
  const { driver, tries } = trunkThat({ taken: [7] })
  const port = { id: "left" } as Port
  const whole = await driver.complete({ port }, request, signal)
  expect([whole, tries]).toEqual([
    { port, vlanId: tries[0]?.[0]?.segmentation_id, host: "192.168.0.10" },
    [[{ port_id: "left", segmentation_type: "vlan", segmentation_id: expect.any(Number) }]],
  ])
  expect(await driver.complete(whole, request, signal)).toBe(whole)
  expect(tries).toHaveLength(1)
})

test("VLANs are of 1 to 4094, none that is taken, each once; a bulk is one call to the trunk", async () => {
  const taken = Array.from({ length: 4091 }, (_, at) => at + 1)
  const { driver, tries } = trunkThat({ taken })
  const made = await driver.create([request, request, request], signal)
  expect(made.map(({ vlanId }) => vlanId).sort()).toEqual([4092, 4093, 4094])
  expect(tries).toHaveLength(1)
})

test("a trunk without enough VLANs left says so, and no port is left behind", async () => {
  const taken = Array.from({ length: 4093 }, (_, at) => at + 1)
  const { driver, deleted } = trunkThat({ taken })
  await expect(driver.create([request, request], signal)).rejects.toThrow(/the trunk t has 1 VLANs left, 2 are wanted/)
  expect(deleted).toHaveLength(2)
})

test("a node whose port is no parent of a trunk is named, before any port is made", async () => {
  const { driver, bodies } = trunkThat({ trunk: false })
  await expect(driver.create([request], signal)).rejects.toThrow(/the port parent of the node 192.168.0.10 to be the parent of a trunk/)
  expect(bodies).toEqual([])
})

test("a subport is bound by its trunk: it is asked for without a host and without a device", async () => {
  const { driver, bodies } = trunkThat({})
  await driver.create([{ ...request, pod: { uid: "u", namespace: "default", name: "web" } }], signal)
  expect(bodies).toMatchObject([{ name: "web", device_owner: "compute:kuryr" }])
  expect(bodies.flatMap(Object.keys)).not.toEqual(expect.arrayContaining(["device_id"]))
  expect(bodies.flatMap(Object.keys)).not.toEqual(expect.arrayContaining(["binding:host_id"]))
})

test("finds the hosts of ports by the addresses of their nodes in the subnet of the nodes, not by hundreds of ids", async () => {
  const filters: unknown[] = []
  const parent = {
    id: "parent",
    fixed_ips: [
      { subnet_id: "other", ip_address: "fd00::10" },
      { subnet_id: "nodes", ip_address: "192.168.0.10" },
    ],
  }
  const many = Array.from({ length: 500 }, (_, at) => ({ id: `t-${at}`, port_id: `parent-${at}`, sub_ports: [] }))
  const neutron = {
    ports: {
      list: async (filter: Readonly<Record<string, unknown>>) => {
        filters.push(filter)
        return filter.fixed_ips === undefined ? [{ id: "its", device_owner: "trunk:subport" }] : [parent]
      },
    },
    trunks: { list: async () => [...many, { id: "t", port_id: "parent", sub_ports: [{ port_id: "its", segmentation_id: 7 }] }] },
  } as unknown as Neutron
  const driver = new NestedVlan({ neutron, clusterMarks: { cluster: "one" }, project: "p", nodesSubnet: "nodes", random: seededRandom(1) })
  expect(await driver.list(signal)).toMatchObject([{ port: { id: "its" }, vlanId: 7, host: "192.168.0.10" }])
  expect(JSON.stringify(filters).length).toBeLessThan(1000)
})

test("rolls back only what one trunk refuses, when the others have answered", async () => {
  const done: string[] = []
  const slow = Promise.withResolvers<void>()
  const ports = {
    list: async ({ fixed_ips }: { readonly fixed_ips: readonly string[] }) => {
      const trunk_id = fixed_ips.includes("ip_address=192.168.0.10") ? "refuses" : "slow"
      return [{ id: `parent-${trunk_id}`, trunk_details: { trunk_id, sub_ports: [] } }]
    },
    createMany: async (requested: readonly NewPort[]) => requested.map((_, at) => ({ id: `port-${at}` }) as Port),
    delete: async (id: string) => done.push(`${id} is gone`),
  }
  const trunks = {
    get: async (id: string) => ({ id, sub_ports: [] }),
    list: async () => [],
    addSubports: async (id: string) => {
      if (id === "refuses") throw refusal("quota")
      await slow.promise
      done.push("on its trunk")
    },
  }
  const neutron = { ports, trunks } as unknown as Neutron
  const driver = new NestedVlan({ neutron, clusterMarks: { cluster: "one" }, project: "p", nodesSubnet: "nodes", random: seededRandom(1) })
  const made = driver.create([request, { ...request, hostIp: "192.168.0.11" }], signal).catch((error: unknown) => error)
  await new VirtualClock().advance("1s")
  expect(done).toEqual([])
  slow.resolve()
  const partly = (await made) as PartialCreateError
  expect(partly).toBeInstanceOf(PartialCreateError)
  expect(partly.outcomes).toMatchObject([
    { status: "rejected", reason: { kind: "quota" } },
    { status: "fulfilled", value: { port: { id: "port-1" }, vlanId: expect.any(Number), host: "192.168.0.11" } },
  ])
  expect([done, partly.isDoubtful]).toEqual([["on its trunk", "port-0 is gone"], false])
})

test("a trunk that is slow does not keep ports of another from leaving theirs", async () => {
  const left: string[] = []
  const trunkWith = (id: string) => ({ id, port_id: `parent-${id}`, sub_ports: [{ port_id: `on-${id}` }] })
  const trunks = {
    list: async () => [trunkWith("slow"), trunkWith("quick")],
    removeSubports: (id: string) => {
      left.push(id)
      return id === "slow" ? new Promise<void>(() => {}) : Promise.resolve()
    },
  }
  const neutron = { trunks, ports: {} } as unknown as Neutron
  const driver = new NestedVlan({ neutron, clusterMarks: { cluster: "one" }, project: "p", nodesSubnet: "nodes", random: seededRandom(1) })
  const ports = ["on-slow", "on-quick"].map((id) => ({ port: { id } as Port }))
  void driver.remove(ports, signal)
  await new VirtualClock().advance("1s")
  expect(left).toEqual(["slow", "quick"])
})
