import { cidrContains, formatIp, parseCidr, parseIp } from "@pilothouse/api/net"
import type { FixedIp, NewPort, Subnet } from "../../clients/neutron/types.ts"
import { neutronProblem } from "../rest/problem.ts"
import type { NeutronState } from "./state.ts"

type RequestedIps = NonNullable<NewPort["fixed_ips"]>

/** Gives a port its addresses, all or none: an address from every named subnet, or one from the first subnet of the network that has one left. */
export function allocate(state: NeutronState, network: string, requested: RequestedIps | undefined): readonly FixedIp[] {
  const given: FixedIp[] = []
  try {
    for (const one of requested ?? [{}]) given.push(...allocateOne(state, network, one))
    return given
  } catch (error) {
    release(state, given)
    throw error
  }
}

export function release(state: NeutronState, given: readonly FixedIp[]): void {
  for (const { subnet_id, ip_address } of given) state.addresses.get(subnet_id)?.delete(ip_address)
}

function allocateOne(state: NeutronState, network: string, { subnet_id, ip_address }: RequestedIps[number]): readonly FixedIp[] {
  const subnets = subnet_id === undefined ? networkSubnets(state, network) : [state.subnets.get(subnet_id)]
  const foreign = subnets.find((subnet) => subnet.network_id !== network)
  if (foreign !== undefined)
    throw neutronProblem(
      400,
      "InvalidInput",
      `Invalid input for operation: Failed to create port on network ${network}, because fixed_ips included invalid subnet ${foreign.id}.`,
    )
  if (ip_address !== undefined) return [take(state, subnets, ip_address)]
  // A network without a subnet gives ports without an address.
  if (subnets.length === 0) return []
  for (const subnet of subnets) {
    const free = nextFree(state, subnet)
    if (free !== undefined) return [take(state, [subnet], free)]
  }
  throw neutronProblem(409, "IpAddressGenerationFailure", `No more IP addresses available on network ${network}.`)
}

function networkSubnets(state: NeutronState, network: string): readonly Subnet[] {
  return state.networks.get(network).subnets.map((id) => state.subnets.get(id))
}

function take(state: NeutronState, subnets: readonly Subnet[], address: string): FixedIp {
  const subnet = subnets.find(({ cidr }) => cidrContains(parseCidr(cidr)!, address))
  if (subnet === undefined) {
    throw neutronProblem(400, "InvalidIpForSubnet", `IP address ${address} is not a valid IP for the specified subnet.`)
  }
  const allocated = allocatedAddresses(state, subnet.id)
  if (allocated.has(address)) {
    throw neutronProblem(409, "IpAddressAlreadyAllocated", `IP address ${address} already allocated in subnet ${subnet.id}`)
  }
  allocated.add(address)
  return { subnet_id: subnet.id, ip_address: address }
}

function allocatedAddresses(state: NeutronState, subnet: string): Set<string> {
  const allocated = state.addresses.get(subnet) ?? new Set<string>()
  state.addresses.set(subnet, allocated)
  return allocated
}

/** Goes round the pools from where the last one was found, so that an address that became free is not given out at once. */
function nextFree(state: NeutronState, { id, allocation_pools, ip_version }: Subnet): string | undefined {
  const allocated = allocatedAddresses(state, id)
  const from = state.cursors.get(id) ?? -1n
  const pools = allocation_pools.map(({ start, end }) => [parseIp(start)!.value, parseIp(end)!.value] as const)
  const parts = [...pools.map(([start, end]) => [start > from ? start : from + 1n, end] as const), ...pools]
  for (const [start, end] of parts) {
    for (let value = start; value <= end; value++) {
      const address = formatIp({ value, family: ip_version })
      if (allocated.has(address)) continue
      state.cursors.set(id, value)
      return address
    }
  }
  return undefined
}
