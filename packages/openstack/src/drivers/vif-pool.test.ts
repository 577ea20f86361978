import { seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { openStack } from "../clients/cloud.ts"
import { EmbeddedOpenStack } from "../embedded/embedded-open-stack.ts"
import { ownerIn } from "./identity.ts"
import { NestedVlan } from "./nested-vlan.ts"
import { neutronVif } from "./neutron-vif.ts"
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
    owners: () => [...cloud.neutron.ports.values()].flatMap((port) => ownerIn(port) ?? []),
    settle: () => clock.advance("1m"),
  }
}

for (const name of ["noop", "neutron", "nested"] as const) vifPoolContract(name, () => on(name))
