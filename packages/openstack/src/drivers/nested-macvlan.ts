import type { Neutron } from "../clients/neutron/neutron.ts"
import type { Port } from "../clients/neutron/types.ts"
import { allowingPort, changePairs, pairsOf, without } from "./address-pairs.ts"
import { type Identity, markOf } from "./identity.ts"
import { parentPort } from "./parent-ports.ts"
import { type PodPort, type PodVifDriver, podPortOwner, spareName } from "./pod-vif.ts"
import { portBody } from "./port-body.ts"

export interface NestedMacvlanOptions {
  readonly neutron: Neutron
  readonly identity: Identity
  readonly project: string
  readonly nodesSubnet: string
}

/** Pods inside virtual machines on macvlan interfaces: the address of each is allowed on its node's port. */
export function nestedMacvlan({ neutron, identity, project, nodesSubnet }: NestedMacvlanOptions): PodVifDriver {
  const named = (port: Port): PodPort => ({ port })

  return {
    activeAtOnce: true,
    hostOf: ({ hostIp }) => hostIp,
    create: async (wishes, signal) => {
      const ports = await neutron.ports.createMany(
        wishes.map((wish) => portBody(wish, identity)),
        { signal },
      )
      const byHost = Map.groupBy(ports, (_, at) => wishes[at]!.hostIp)
      for (const [host, some] of byHost) {
        const more = some.flatMap(pairsOf)
        await changePairs(
          neutron,
          signal,
          () => parentPort(neutron, nodesSubnet, host, signal),
          (pairs) => [...without(pairs, more), ...more],
        )
      }
      return ports.map(named)
    },
    find: async ({ uid }, signal) => (await neutron.ports.list({ description: markOf(identity, uid) }, { signal })).map(named),
    list: async (signal) => (await neutron.ports.list({ project_id: project, device_owner: podPortOwner }, { signal })).map(named),
    assign: async ({ port }, { pod, groups }, signal) => {
      const change = { name: pod?.name, security_groups: groups, description: markOf(identity, pod?.uid) }
      return named(await neutron.ports.update(port.id, change, { signal }))
    },
    recycle: async ({ port }, { groups }, signal) => {
      const change = { name: spareName, security_groups: groups, description: markOf(identity) }
      return named(await neutron.ports.update(port.id, change, { signal }))
    },
    remove: async (ports, signal) => {
      for (const { port } of ports) {
        const gone = pairsOf(port)
        await changePairs(
          neutron,
          signal,
          () => allowingPort(neutron, nodesSubnet, gone, signal),
          (pairs) => without(pairs, gone),
        )
        await neutron.ports.delete(port.id, { signal })
      }
    },
  }
}
