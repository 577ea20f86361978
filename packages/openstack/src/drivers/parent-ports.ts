import { RetryAfterError } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import type { Neutron } from "../clients/neutron/neutron.ts"
import type { Port } from "../clients/neutron/types.ts"

/** The port of the virtual machine that a node is, found by its address. */
export async function parentPort(neutron: Pick<Neutron, "ports">, subnet: string, hostIp: string, signal: AbortSignal): Promise<Port> {
  if (hostIp === "") throw new RetryAfterError("1s", "the pod's node has no address yet")
  const filter = { fixed_ips: [`subnet_id=${subnet}`, `ip_address=${hostIp}`] }
  const [found] = await neutron.ports.list(filter, { signal })
  if (found !== undefined) return found
  throw new PilothouseError("CLOUD", `expected a port with the address ${hostIp} in the subnet ${subnet} of the nodes, found none`)
}

/** The trunk that a node's port is the parent of. */
export async function trunkOf(neutron: Pick<Neutron, "ports">, subnet: string, hostIp: string, signal: AbortSignal): Promise<string> {
  const { id, trunk_details } = await parentPort(neutron, subnet, hostIp, signal)
  if (trunk_details !== undefined) return trunk_details.trunk_id
  throw new PilothouseError(
    "CLOUD",
    `expected the port ${id} of the node ${hostIp} to be the parent of a trunk, found none; make one for it`,
  )
}
