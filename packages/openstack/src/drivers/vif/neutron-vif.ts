import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Port } from "../../clients/neutron/types.ts"
import { type ClusterMarks, isOfOtherCluster, markDescription } from "../creation/cluster-marks.ts"
import { createDeadline } from "../creation/timeouts.ts"
import { markPort } from "./mark-port.ts"
import { type PodPort, type PodVifDriver, podPortOwner, spareName } from "./pod-vif.ts"
import { portBody } from "./port-body.ts"

/** Some releases answer a bulk create with ports as they were before they were bound (bug 1696051): those are read once more. */
async function asBound(neutron: Neutron, made: readonly Port[], signal: AbortSignal): Promise<readonly Port[]> {
  const early = made.filter((port) => port["binding:vif_type"] === "unbound").map(({ id }) => id)
  if (early.length === 0) return made
  const now = new Map((await neutron.ports.list({ id: early }, { signal })).map((port) => [port.id, port]))
  return made.map((port) => now.get(port.id) ?? port)
}

/** Neutron shows the binding of a port to administrators alone: without it the port counts as usable. */
function unusableReason({ port, host }: PodPort): string | undefined {
  const type = port["binding:vif_type"]
  if (type === undefined || type === "ovs") return undefined
  if (type !== "unbound" && type !== "binding_failed")
    return `expected the port ${port.id} to be bound as ovs, found ${type}: kuryr's CNI plugin would not know what to do with it`
  return `Neutron has not bound the port ${port.id} to ${host} (${type}); \`openstack network agent list --host ${host}\` has to show an Open vSwitch agent that is alive`
}

/** Pods on bare metal: each has a port of its own, bound to the host. */
export function neutronVif(neutron: Neutron, clusterMarks: ClusterMarks, project: string): PodVifDriver {
  const toPodPort = (port: Port) => ({ port, host: port["binding:host_id"] })
  return {
    activeAtOnce: false,
    hostFor: ({ node }) => node,
    create: async (requests, signal) => {
      const bodies = requests.map((request) => ({
        ...portBody(request, clusterMarks),
        device_id: request.pod?.uid ?? "",
        "binding:host_id": request.node,
      }))
      return (await asBound(neutron, await neutron.ports.createMany(bodies, { signal, timeout: createDeadline }), signal)).map(toPodPort)
    },
    unusableReason,
    find: async ({ uid }, signal) => {
      const [tagged, byDevice] = await Promise.all([
        neutron.ports.list({ description: markDescription(clusterMarks, uid) }, { signal }),
        neutron.ports.list({ device_id: uid, device_owner: podPortOwner }, { signal }),
      ])
      const found = [...tagged, ...byDevice].filter((port) => !isOfOtherCluster(port, clusterMarks))
      return [...new Map(found.map((port) => [port.id, toPodPort(port)])).values()]
    },
    list: async (signal) => (await neutron.ports.list({ project_id: project, device_owner: podPortOwner }, { signal })).map(toPodPort),
    assign: async ({ port }, { pod, groups }, signal) => {
      const change = { name: pod?.name, device_id: pod?.uid, security_groups: groups, description: markDescription(clusterMarks, pod?.uid) }
      return toPodPort(await neutron.ports.update(port.id, change, { signal }))
    },
    mark: (port, owner, signal) => markPort(neutron, clusterMarks, port, owner, signal),
    recycle: async ({ port }, { groups }, signal) => {
      const change = { name: spareName, device_id: "", security_groups: groups, description: markDescription(clusterMarks) }
      return toPodPort(await neutron.ports.update(port.id, change, { signal }))
    },
    remove: async (ports, signal) => {
      await Promise.all(ports.map(({ port }) => neutron.ports.delete(port.id, { signal })))
    },
  }
}
