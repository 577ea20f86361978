import { seededRandom, VirtualClock } from "@pilothouse/seams"
import { openStack } from "../../clients/cloud.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import { EmbeddedOpenStack } from "../../embedded/embedded-open-stack.ts"
import type { ClusterMarks } from "../creation/cluster-marks.ts"
import { nestedMacvlan } from "./nested-macvlan.ts"
import { NestedVlan } from "./nested-vlan.ts"
import { neutronVif } from "./neutron-vif.ts"
import { type PodVifSubject, podVifContract } from "./pod-vif.contract.ts"
import type { PodVifDriver } from "./pod-vif.ts"

type Make = (neutron: Neutron, clusterMarks: ClusterMarks, cloud: EmbeddedOpenStack) => PodVifDriver

/** A driver on an embedded cloud with one node, which is a virtual machine with a trunk. */
async function on(make: Make): Promise<PodVifSubject> {
  const clock = new VirtualClock()
  const cloud = new EmbeddedOpenStack({ clock, random: seededRandom(1) })
  const { neutron } = openStack({ access: cloud.access(), connect: cloud.connect, clock })
  const { project, podNetwork, podSubnet, podSecurityGroup, nodeNetwork, nodeSubnet } = cloud.seed
  const fixed_ips = [{ subnet_id: nodeSubnet, ip_address: "192.168.0.10" }]
  const { id } = await neutron.ports.create({ network_id: nodeNetwork, name: "node1", fixed_ips })
  await neutron.trunks.create({ port_id: id })
  const driver = make(neutron, { cluster: "one" }, cloud)
  const request = { node: "node1", hostIp: "192.168.0.10", project, network: podNetwork, subnets: [podSubnet], groups: [podSecurityGroup] }
  const own = ["compute:kuryr", "trunk:subport"]
  return {
    driver,
    request: (pod) => ({ ...request, pod }),
    count: () => [...cloud.neutron.ports.values()].filter(({ device_owner }) => own.includes(device_owner)).length,
  }
}

podVifContract("neutron-vif", () => on((neutron, clusterMarks, { seed }) => neutronVif(neutron, clusterMarks, seed.project)))

podVifContract("nested-vlan", () =>
  on(
    (neutron, clusterMarks, { seed: { project, nodeSubnet } }) =>
      new NestedVlan({ neutron, clusterMarks, project, nodesSubnet: nodeSubnet, random: seededRandom(2) }),
  ),
)

podVifContract("nested-macvlan", () =>
  on((neutron, clusterMarks, { seed: { project, nodeSubnet } }) =>
    nestedMacvlan({ neutron, clusterMarks, project, nodesSubnet: nodeSubnet }),
  ),
)
