import type { OpenStack } from "../../clients/cloud.ts"
import type { LoadBalancer } from "../../clients/octavia/types.ts"
import type { ClusterMarks } from "../../drivers/creation/cluster-marks.ts"
import { unmarkedParts } from "./marks.ts"
import type { FoundTree } from "./tree.ts"

export interface ReadTreeOptions {
  readonly cloud: Pick<OpenStack, "neutron" | "octavia">
  readonly clusterMarks: ClusterMarks
}

/** A load balancer with all its parts, as the cloud has them now. */
export async function readTree({ cloud, clusterMarks }: ReadTreeOptions, balancer: LoadBalancer, signal: AbortSignal): Promise<FoundTree> {
  const { octavia } = cloud
  const filter = { loadbalancer_id: balancer.id }
  const none = balancer.listeners.length === 0 && balancer.pools.length === 0
  const [listeners, pools, around] = await Promise.all([
    none ? [] : octavia.listeners.list(filter, { signal }),
    balancer.pools.length === 0 ? [] : octavia.pools.list(filter, { signal }),
    readAround(cloud, balancer, signal),
  ])
  const members = new Map(await Promise.all(pools.map(async ({ id }) => [id, await octavia.members(id).list({}, { signal })] as const)))
  const used = new Set(listeners.map(({ default_pool_id }) => default_pool_id))
  return {
    balancer,
    listeners: listeners.map((listener) => ({
      listener,
      pool: pools.find(({ id }) => id === listener.default_pool_id),
      members: members.get(listener.default_pool_id ?? "") ?? [],
    })),
    orphanPools: pools.filter(({ id }) => !used.has(id)),
    unmarked: unmarkedParts(clusterMarks, { balancer, floating: around.floating, listeners, pools }),
    ...around,
  }
}

/** What Neutron has of it. */
export async function readAround(
  { neutron }: Pick<OpenStack, "neutron">,
  { vip_port_id }: LoadBalancer,
  signal: AbortSignal,
): Promise<Pick<FoundTree, "floating" | "groups">> {
  const [ports, floating] = await Promise.all([
    neutron.ports.list({ id: vip_port_id }, { signal }),
    neutron.floatingIps.list({ port_id: vip_port_id }, { signal }),
  ])
  return { floating: floating[0], groups: ports[0]?.security_groups }
}
