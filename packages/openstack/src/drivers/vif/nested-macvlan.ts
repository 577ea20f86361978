import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { type ClusterMarks, markDescription } from "../creation/cluster-marks.ts"
import { createDeadline } from "../creation/timeouts.ts"
import { addressPairs, allowingPort, changePairs, without } from "./address-pairs.ts"
import { markPort } from "./mark-port.ts"
import { forEachNode, parentPort } from "./parent-ports.ts"
import { placeEach } from "./partial-create-error.ts"
import { type PodPort, type PodVifDriver, podPortOwner, spareName } from "./pod-vif.ts"
import { portBody } from "./port-body.ts"

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
