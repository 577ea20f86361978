import { nodes } from "@pilothouse/api/core/v1"
import { openStack } from "../../clients/cloud.ts"
import { type TestCloudOptions, type TestCluster, testCluster } from "./cluster.ts"

/** A cluster whose node1 is a virtual machine with a port of its own, and with a trunk where the driver needs one. */
export async function nested(
  driver: "nested-vlan" | "nested-macvlan",
  { sections = {}, ...options }: Omit<TestCloudOptions, "clock" | "cloud"> = {},
): Promise<TestCluster> {
  let nodesSubnet = ""
  const run = await testCluster({
    ...options,
    sections: {
      ...sections,
      kubernetes: { pod_vif_driver: driver, ...sections.kubernetes },
      get pod_vif_nested() {
        return { worker_nodes_subnet: nodesSubnet || "nodes" }
      },
    },
  })
  const { neutron } = openStack({ access: run.cloud.access(), connect: run.cloud.connect, clock: run.cluster.clock })
  const { nodeNetwork, nodeSubnet } = run.cloud.seed
  nodesSubnet = nodeSubnet
  const port = await neutron.ports.create({
    network_id: nodeNetwork,
    name: "node1",
    fixed_ips: [{ subnet_id: nodeSubnet, ip_address: "192.168.0.10" }],
  })
  if (driver === "nested-vlan") await neutron.trunks.create({ port_id: port.id })
  await neutron.ports.update(port.id, { "binding:host_id": "node1", device_owner: "compute:nova" })
  await run.cluster.restartControllers()
  const addresses = [{ type: "InternalIP", address: "192.168.0.10" }]
  await run.cluster.client.patch(nodes, { metadata: { name: "node1" } }, { status: { addresses } }, { subresource: "status" })
  return run
}
