import { isRefusal } from "../../clients/calls/errors.ts"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { AddressPair, Port } from "../../clients/neutron/types.ts"
import { type ClusterMarks, markDescription } from "../creation/cluster-marks.ts"
import { createDeadline } from "../creation/timeouts.ts"
import { markPort } from "./mark-port.ts"
import { forEachNode, parentPort } from "./parent-ports.ts"
import { placeEach } from "./partial-create-error.ts"
import { type PodPort, type PodVifDriver, podPortOwner, spareName } from "./pod-vif.ts"
import { portBody } from "./port-body.ts"

/** How often the list is read and written again when another client changes it at the same time. */
const maxTries = 10

export interface NestedMacvlanOptions {
  readonly neutron: Neutron
  readonly clusterMarks: ClusterMarks
  readonly project: string
  readonly nodesSubnet: string
}

/** Pods inside virtual machines on macvlan interfaces: the address of each is allowed on its node's port. */
export function nestedMacvlan(options: NestedMacvlanOptions): PodVifDriver {
  const { neutron, clusterMarks, project, nodesSubnet } = options
  const named = (port: Port): PodPort => ({ port })
  const allow = (host: string, ports: readonly Port[], signal: AbortSignal) => {
    const more = ports.flatMap(addressPairs)
    return changePairs(
      neutron,
      signal,
      () => parentPort(neutron, nodesSubnet, host, signal),
      (pairs) => [...without(pairs, more), ...more],
    )
  }

  return {
    activeAtOnce: true,
    hostFor: ({ hostIp }) => hostIp,
    create: async (requests, signal) => {
      await forEachNode(requests, (host) => parentPort(neutron, nodesSubnet, host, signal))
      const ports = await neutron.ports.createMany(
        requests.map((request) => portBody(request, clusterMarks)),
        { signal, timeout: createDeadline },
      )
      return placeEach(ports, {
        places: requests.map(({ hostIp }) => hostIp),
        place: async (host, some) => {
          await allow(host, some, signal)
          return some.map(named)
        },
        remove: (some) => removeAll(options, some, signal),
      })
    },
    complete: async (found, { hostIp }, signal) => {
      await allow(hostIp, [found.port], signal)
      return found
    },
    find: async ({ uid }, signal) => (await neutron.ports.list({ description: markDescription(clusterMarks, uid) }, { signal })).map(named),
    list: async (signal) => (await neutron.ports.list({ project_id: project, device_owner: podPortOwner }, { signal })).map(named),
    assign: async ({ port }, { pod, groups }, signal) => {
      const change = { name: pod?.name, security_groups: groups, description: markDescription(clusterMarks, pod?.uid) }
      return named(await neutron.ports.update(port.id, change, { signal }))
    },
    mark: (port, owner, signal) => markPort(neutron, clusterMarks, port, owner, signal),
    recycle: async ({ port }, { groups }, signal) => {
      const change = { name: spareName, security_groups: groups, description: markDescription(clusterMarks) }
      return named(await neutron.ports.update(port.id, change, { signal }))
    },
    remove: (ports, signal) =>
      removeAll(
        options,
        ports.map(({ port }) => port),
        signal,
      ),
  }
}

/** Each with its address, which its node's port allows no longer. */
async function removeAll({ neutron, nodesSubnet }: NestedMacvlanOptions, ports: readonly Port[], signal: AbortSignal): Promise<void> {
  for (const port of ports) {
    const gone = addressPairs(port)
    await changePairs(
      neutron,
      signal,
      () => allowingPort(neutron, nodesSubnet, gone, signal),
      (pairs) => without(pairs, gone),
    )
    await neutron.ports.delete(port.id, { signal })
  }
}

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
async function allowingPort(
  neutron: Pick<Neutron, "ports">,
  subnet: string,
  [pair]: readonly AddressPair[],
  signal: AbortSignal,
): Promise<Port | undefined> {
  const all = await neutron.ports.list({ fixed_ips: [`subnet_id=${subnet}`] }, { signal })
  return all.find(({ allowed_address_pairs }) => allowed_address_pairs.some(({ ip_address }) => ip_address === pair?.ip_address))
}

function addressPairs({ fixed_ips, mac_address }: Port): readonly AddressPair[] {
  return fixed_ips.map(({ ip_address }) => ({ ip_address, mac_address }))
}

export function without(pairs: readonly AddressPair[], gone: readonly AddressPair[]): readonly AddressPair[] {
  return pairs.filter(({ ip_address }) => !gone.some((one) => one.ip_address === ip_address))
}
