import { kuryr, kuryrConfiguration, openStack } from "@pilothouse/openstack"
import { type PodVifSubject, podVifContract } from "@pilothouse/openstack/contracts/drivers/pod-vif"
import { portsOf, removeAll } from "@pilothouse/openstack/contracts/handlers"
import { seededRandom } from "@pilothouse/seams"
import { afterAll } from "vitest"
import { handlersCloud, realCloud } from "../real-cloud.ts"

const identity = { cluster: "drivers" }

/** A driver as the configuration chooses it, on a cloud without ports of an earlier row. */
async function onRealCloud(driver: string): Promise<PodVifSubject> {
  const { clock, place } = realCloud()
  const known = handlersCloud(realCloud())
  const { project, podSubnet, serviceSubnet, podSecurityGroup } = known
  const cloud = openStack({ access: known.access, connect: known.connect, clock })
  const configuration = kuryrConfiguration({
    kubernetes: { pod_vif_driver: driver },
    neutron_defaults: { project, pod_subnet: podSubnet, service_subnet: serviceSubnet, pod_security_groups: podSecurityGroup },
    pod_vif_nested: { worker_nodes_subnet: known.nodeSubnet },
  })
  const made = kuryr({ cloud, configuration, ...identity, clock, random: seededRandom(2) })
  const mine = { cloud, identity, project }
  await removeAll(mine)
  const wish = {
    node: place.host,
    hostIp: "192.168.0.10",
    project,
    network: place.podNetwork,
    subnets: [podSubnet],
    groups: [podSecurityGroup],
  }
  return { driver: made.drivers.pods.driver, wish: (pod) => ({ ...wish, pod }), count: async () => (await portsOf(mine)).length }
}

// Addresses that a node's port still allows would be met by the suites that come after.
afterAll(async () => {
  const { access, connect, clock, place } = realCloud()
  await removeAll({ cloud: openStack({ access, connect, clock }), identity, project: place.project })
})

for (const driver of ["neutron-vif", "nested-vlan", "nested-macvlan"]) podVifContract(driver, () => onRealCloud(driver))
