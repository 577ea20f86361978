import { deepEqual } from "@pilothouse/api"
import type { Node, NodeAddress } from "@pilothouse/api/core/v1"
import { isSameIp } from "@pilothouse/api/net"
import { CloudError } from "../cloud-errors.ts"

/** Where a kubelet says which of its addresses it wants to be known by; two with a comma for both families. */
const providedAddress = "alpha.kubernetes.io/provided-node-ip"

/**
 * The addresses a node should show, or undefined where it shows them already, or the cloud says none.
 * The hostname is the kubelet's where the cloud knows none; of each type only the address that the kubelet asked for stays, where it asked for one.
 */
export function newAddresses(node: Node, said: readonly NodeAddress[]): readonly NodeAddress[] | undefined {
  if (said.length === 0) return undefined
  const shown = node.status?.addresses ?? []
  const hostnames = said.some(({ type }) => type === "Hostname") ? [] : shown.filter(({ type }) => type === "Hostname")
  const wanted = preferred(node, [...said, ...hostnames])
  return deepEqual(sorted(shown), sorted(wanted)) ? undefined : wanted
}

function preferred({ metadata }: Node, addresses: readonly NodeAddress[]): readonly NodeAddress[] {
  const asked = metadata.annotations?.[providedAddress]
  if (asked === undefined) return addresses
  const ips = asked.split(",").map((ip) => ip.trim())
  const first = ips.flatMap((ip) => {
    const found = addresses.filter(({ address }) => isSameIp(address, ip))
    if (found.length === 0) throw new CloudError(`failed to get node address from cloud provider that matches ip: ${ip}`)
    return found
  })
  const settled = new Set(first.map(({ type }) => type))
  return [...first, ...addresses.filter(({ type }) => !settled.has(type))]
}

function sorted(addresses: readonly NodeAddress[]): readonly string[] {
  return addresses.map(({ type, address }) => `${type} ${address}`).sort()
}
