import { RetryAfterError } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { CreateRefused } from "../creation/create-refused.ts"
import type { PortRequest } from "./pod-vif.ts"

/** Some nodes lack what their pods need. They are named, so that the other requests can be sent without them. */
export class NodesNotReady extends CreateRefused {
  /** By the node's address. */
  readonly reasons: ReadonlyMap<string, unknown>

  constructor(reasons: ReadonlyMap<string, unknown>) {
    super([...reasons.values()].map(messageOf).join("; "))
    this.reasons = reasons
  }
}

/** Returns the result for the node of each request, by the node's address: for all of them, before anything is created. */
export async function forEachNode<T>(
  requests: readonly PortRequest[],
  find: (hostIp: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>()
  const reasons = new Map<string, unknown>()
  const hosts = new Set(requests.map(({ hostIp }) => hostIp))
  await Promise.all(
    [...hosts].map(async (host) => {
      try {
        found.set(host, await find(host))
      } catch (error) {
        reasons.set(host, error)
      }
    }),
  )
  if (reasons.size > 0) throw new NodesNotReady(reasons)
  return found
}

/** The port of the virtual machine that a node is, found by its address. */
export async function parentPort(neutron: Pick<Neutron, "ports">, subnet: string, hostIp: string, signal: AbortSignal): Promise<Port> {
  if (hostIp === "") throw new RetryAfterError("1s", "the pod's node has no address yet")
  const filter = { fixed_ips: [`subnet_id=${subnet}`, `ip_address=${hostIp}`] }
  const [found] = await neutron.ports.list(filter, { signal })
  if (found !== undefined) return found
  throw new PilothouseError("CLOUD", `expected a port with the address ${hostIp} in the subnet ${subnet} of the nodes, found none`)
}

/** The trunk that a node's port is the parent of. */
export async function findTrunk(neutron: Pick<Neutron, "ports">, subnet: string, hostIp: string, signal: AbortSignal): Promise<string> {
  const { id, trunk_details } = await parentPort(neutron, subnet, hostIp, signal)
  if (trunk_details !== undefined) return trunk_details.trunk_id
  throw new PilothouseError(
    "CLOUD",
    `expected the port ${id} of the node ${hostIp} to be the parent of a trunk, found none; make one for it`,
  )
}
