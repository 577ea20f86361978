import { isRefusal } from "../../clients/calls/errors.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { AddressPair, Port } from "../../clients/neutron/types.ts"

/** How often the list is read and written again when another client changes it at the same time. */
const maxTries = 10

/** Changes the addresses that a port allows beside its own. The list is replaced as a whole, so it is guarded by the port's revision. */
export async function changePairs(
  neutron: Pick<Neutron, "ports">,
  signal: AbortSignal,
  port: () => Promise<Port | undefined>,
  change: (pairs: readonly AddressPair[]) => readonly AddressPair[],
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const found = await port()
    if (found === undefined) return
    const pairs = change(found.allowed_address_pairs)
    if (isSame(pairs, found.allowed_address_pairs)) return
    try {
      await neutron.ports.update(found.id, { allowed_address_pairs: pairs }, { ifRevision: found.revision_number, signal })
      return
    } catch (error) {
      if (tries === maxTries || !isRefusal(error, "stale")) throw error
    }
  }
}

/** In whichever order. */
function isSame(some: readonly AddressPair[], others: readonly AddressPair[]): boolean {
  const isIn = (one: AddressPair) => others.some((other) => other.ip_address === one.ip_address && other.mac_address === one.mac_address)
  return some.length === others.length && some.every(isIn)
}

/** The node's port that allows the first of these addresses. */
export async function allowingPort(
  neutron: Pick<Neutron, "ports">,
  subnet: string,
  [pair]: readonly AddressPair[],
  signal: AbortSignal,
): Promise<Port | undefined> {
  const all = await neutron.ports.list({ fixed_ips: [`subnet_id=${subnet}`] }, { signal })
  return all.find(({ allowed_address_pairs }) => allowed_address_pairs.some(({ ip_address }) => ip_address === pair?.ip_address))
}

export function addressPairs({ fixed_ips, mac_address }: Port): readonly AddressPair[] {
  return fixed_ips.map(({ ip_address }) => ({ ip_address, mac_address }))
}

export function without(pairs: readonly AddressPair[], gone: readonly AddressPair[]): readonly AddressPair[] {
  return pairs.filter(({ ip_address }) => !gone.some((one) => one.ip_address === ip_address))
}
