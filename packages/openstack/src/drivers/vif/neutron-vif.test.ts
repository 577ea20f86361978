import { expect, test } from "vitest"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { neutronVif } from "./neutron-vif.ts"

const { signal } = new AbortController()
const request = { node: "node1", hostIp: "", project: "p", network: "n", subnets: ["s"], groups: ["g"] }

function port(id: string, vif_type: string | undefined): Port {
  return { id, "binding:vif_type": vif_type, "binding:host_id": "node1" } as Port
}

/** A Neutron that answers a bulk create with these ports, and a list with bound ones. */
function neutronThatAnswers(made: readonly Port[]) {
  const asked: unknown[] = []
  const bodies: unknown[] = []
  const ports = {
    createMany: async (some: readonly unknown[]) => {
      bodies.push(...some)
      return made
    },
    list: async (filter: { readonly id: readonly string[] }) => {
      asked.push(filter)
      return filter.id.map((id) => port(id, "ovs"))
    },
  }
  return { driver: neutronVif({ ports } as unknown as Neutron, { cluster: "one" }, "p"), asked, bodies }
}

test("a port is asked for as kuryr asks for it: bound to the node, in the pod's subnets, with its UID; a spare one has no device", async () => {
  const { driver, bodies } = neutronThatAnswers([port("a", "ovs"), port("b", "ovs")])
  await driver.create([{ ...request, pod: { uid: "u", namespace: "default", name: "web" } }, request], signal)
  const common = { project_id: "p", network_id: "n", fixed_ips: [{ subnet_id: "s" }], device_owner: "compute:kuryr", admin_state_up: true }
  expect(bodies).toMatchObject([
    { ...common, name: "web", device_id: "u", "binding:host_id": "node1", security_groups: ["g"] },
    { ...common, name: "available-port", device_id: "", "binding:host_id": "node1", security_groups: ["g"] },
  ])
})

test("ports that a bulk create answers as not bound yet are read once more, and only those", async () => {
  const { driver, asked } = neutronThatAnswers([port("a", "unbound"), port("b", "ovs")])
  const made = await driver.create([request, request], signal)
  expect(made.map((one) => one.port["binding:vif_type"])).toEqual(["ovs", "ovs"])
  expect(asked).toEqual([{ id: ["a"] }])
})

test.each([
  ["ovs", undefined],
  [undefined, undefined],
  ["binding_failed", /has not bound the port a to node1 \(binding_failed\); `openstack network agent list --host node1`/],
  ["unbound", /has not bound the port a to node1/],
  ["hyperv", /expected the port a to be bound as ovs, found hyperv/],
] as const)("a port bound as %s", (type, why) => {
  const found = neutronThatAnswers([]).driver.unusableReason?.({ port: port("a", type), host: "node1" })
  if (why === undefined) expect(found).toBeUndefined()
  else expect(found).toMatch(why)
})
