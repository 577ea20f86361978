import type { Neutron } from "../clients/neutron/neutron.ts"
import type { Port } from "../clients/neutron/types.ts"
import { type Identity, markOf } from "./identity.ts"
import { type PodVifDriver, podPortOwner, spareName } from "./pod-vif.ts"
import { portBody } from "./port-body.ts"

/** Pods on bare metal: each has a port of its own, bound to the host. */
export function neutronVif(neutron: Neutron, identity: Identity, project: string): PodVifDriver {
  const toPodPort = (port: Port) => ({ port, host: port["binding:host_id"] })
  return {
    activeAtOnce: false,
    hostOf: ({ node }) => node,
    create: async (wishes, signal) => {
      const bodies = wishes.map((wish) => ({
        ...portBody(wish, identity),
        device_id: wish.pod?.uid ?? "",
        "binding:host_id": wish.node,
      }))
      return (await neutron.ports.createMany(bodies, { signal })).map(toPodPort)
    },
    find: async ({ uid }, signal) => {
      const [tagged, byDevice] = await Promise.all([
        neutron.ports.list({ description: markOf(identity, uid) }, { signal }),
        neutron.ports.list({ device_id: uid, device_owner: podPortOwner }, { signal }),
      ])
      return [...new Map([...tagged, ...byDevice].map((port) => [port.id, toPodPort(port)])).values()]
    },
    list: async (signal) => (await neutron.ports.list({ project_id: project, device_owner: podPortOwner }, { signal })).map(toPodPort),
    assign: async ({ port }, { pod, groups }, signal) => {
      const change = { name: pod?.name, device_id: pod?.uid, security_groups: groups, description: markOf(identity, pod?.uid) }
      return toPodPort(await neutron.ports.update(port.id, change, { signal }))
    },
    recycle: async ({ port }, { groups }, signal) => {
      const change = { name: spareName, device_id: "", security_groups: groups, description: markOf(identity) }
      return toPodPort(await neutron.ports.update(port.id, change, { signal }))
    },
    remove: async (ports, signal) => {
      await Promise.all(ports.map(({ port }) => neutron.ports.delete(port.id, { signal })))
    },
  }
}
