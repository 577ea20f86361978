import { formatIp, lastIn, parseCidrOrIp } from "@pilothouse/api/net"
import { PilothouseError } from "@pilothouse/seams"
import { createNetwork, createSubnet } from "./neutron/networks.ts"
import type { Ports } from "./neutron/ports.ts"
import { addInterface } from "./neutron/routers.ts"
import type { NeutronState } from "./neutron/state.ts"
import type { EmbeddedSeed } from "./seed.ts"

const name = "cluster-ips"

/**
 * The subnet that holds the addresses of a cluster's Services, made where it is not there yet. It is twice the API server's range: the gateway and what
 * Octavia takes for itself come from the other half, where they never meet a Service. 10.96.0.0/12 is the lower half of 10.96.0.0/11.
 */
export function serviceSubnet(neutron: NeutronState, ports: Ports, seed: EmbeddedSeed, range: string): string {
  const { first, last } = ipv4Range(range)
  const size = last - first + 1n
  const whole = first & ~(2n * size - 1n)
  const other = whole === first ? first + size : whole
  const bits = 31 - (size.toString(2).length - 1)
  const address = (value: bigint) => formatIp({ value, family: 4 })
  const cidr = `${address(whole)}/${bits}`
  const known = [...neutron.subnets.values()].find((subnet) => subnet.name === name && subnet.cidr === cidr)
  if (known !== undefined) return known.id
  const { id: network_id } = createNetwork(neutron, { name }, seed.project)
  const gateway = other + size - 2n
  const requested = {
    name,
    network_id,
    ip_version: 4 as const,
    cidr,
    enable_dhcp: false,
    gateway_ip: address(gateway),
    allocation_pools: [{ start: address(other + 1n), end: address(gateway - 1n) }],
  }
  const { id } = createSubnet(neutron, requested, seed.project)
  addInterface(neutron, ports, seed.router, id)
  return id
}

function ipv4Range(text: string): { readonly first: bigint; readonly last: bigint } {
  const found = parseCidrOrIp(text)
  if (found?.family === 4 && found.prefixLength <= 29) return { first: found.base, last: lastIn(found) }
  throw new PilothouseError("INVALID", `expected an IPv4 range such as "10.96.0.0/12" for Services, found ${JSON.stringify(text)}`)
}
