import { pods } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { podPorts, podVif, readyPod, type TestCluster, testPod } from "./testing/cluster.ts"
import { crashPlay } from "./testing/crashes.ts"
import { nested } from "./testing/nested.ts"

/** Two pods, of which one goes. What is left, in words: each pod's VIF has to be what its node's port says. */
async function scenario(run: TestCluster): Promise<unknown> {
  for (const name of ["stays", "goes"]) await run.cluster.apply(testPod(name))
  for (const name of ["stays", "goes"]) await readyPod(run, name)
  await run.cluster.client.delete(pods, "default/goes", { gracePeriodSeconds: 0 })
  await run.cluster.advance("3m")
  const vif = await podVif(run, "stays")
  const [port] = podPorts(run)
  const subports = [...run.cloud.neutron.trunks.values()].flatMap(({ sub_ports }) => sub_ports)
  const parent = [...run.cloud.neutron.ports.values()].find(({ name }) => name === "node1")
  return {
    ports: podPorts(run).map(({ name }) => name),
    isItsPort: vif?.id === port?.id,
    type: vif?.type,
    subports: subports.map(({ port_id, segmentation_id }) => [
      port_id === port?.id,
      vif?.type === "VIFVlanNested" && vif.vlan_id === segmentation_id,
    ]),
    allowed: parent?.allowed_address_pairs.map(({ ip_address }) => ip_address === port?.fixed_ips[0]?.ip_address),
  }
}

const ends = {
  "nested-vlan": { type: "VIFVlanNested", subports: [[true, true]], allowed: [] },
  "nested-macvlan": { type: "VIFMacvlanNested", subports: [], allowed: [true] },
} as const

test.each(Object.keys(ends) as (keyof typeof ends)[])(
  "%s: a process that dies at any change of the cloud, before or after it: the pod's port is whole, and nothing is too many",
  async (driver) => {
    const play = crashPlay((layer) => nested(driver, { layer, kuryr: { sweep: { every: "20s", grace: "20s" } } }), scenario)
    const calm = await play(undefined)
    expect(calm.end).toEqual({ ports: ["stays"], isItsPort: true, ...ends[driver] })
    const changes = calm.calls.flatMap((words, call) => (/^(GET|POST \/auth)/.test(words) ? [] : [{ words, call }]))
    expect(changes.length).toBeGreaterThan(3)
    for (const { words, call } of changes)
      for (const moment of ["before", "after"] as const) {
        const { end, calls } = await play({ call, moment })
        expect([calls[call], end], `${moment} call ${call}`).toEqual([words, calm.end])
      }
  },
  60_000,
)
