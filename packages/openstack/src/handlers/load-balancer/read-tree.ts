import type { OpenStack } from "../../clients/cloud.ts"
import type { Listener, LoadBalancer, Member, Pool, StatusTree } from "../../clients/octavia/types.ts"
import type { ClusterMarks } from "../../drivers/creation/cluster-marks.ts"
import { unmarkedParts } from "./marks.ts"
import type { DesiredListener, DesiredTree, FoundListener, FoundTree } from "./tree.ts"

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

/** Reads what Neutron has of a load balancer. */
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

type PoolStatus = StatusTree["loadbalancer"]["listeners"][number]["pools"][number]

/**
 * Pure: the parts of a load balancer that was made here a moment ago: what they are like is what was asked for, and one call for the statuses has their
 * ids. Undefined where the two do not fit: then it has to be read part by part.
 */
export function freshListeners(
  balancer: LoadBalancer,
  desired: DesiredTree,
  { loadbalancer }: StatusTree,
): readonly FoundListener[] | undefined {
  if (loadbalancer.provisioning_status !== "ACTIVE" || loadbalancer.listeners.length !== desired.listeners.length) return undefined
  const found = desired.listeners.map((one): FoundListener | undefined => {
    const there = loadbalancer.listeners.find(({ name }) => name === one.name)
    const [pool, ...more] = there?.pools ?? []
    if (there === undefined || pool === undefined || more.length > 0) return undefined
    const members = freshMembers(one, pool)
    if (members === undefined) return undefined
    const listener: Partial<Listener> = {
      id: there.id,
      name: one.name,
      protocol: one.protocol,
      protocol_port: one.port,
      allowed_cidrs: one.allowedCidrs ?? null,
      default_pool_id: pool.id,
      provisioning_status: there.provisioning_status,
      loadbalancers: [{ id: balancer.id }],
    }
    return { listener: listener as Listener, pool: freshPool(desired, one, pool), members }
  })
  return found.every((one) => one !== undefined) ? found : undefined
}

function freshPool({ algorithm }: DesiredTree, { name, protocol, sticky }: DesiredListener, { id, provisioning_status }: PoolStatus): Pool {
  const session_persistence = sticky ? { type: "SOURCE_IP" } : null
  const pool: Partial<Pool> = { id, name, protocol, provisioning_status, lb_algorithm: algorithm }
  return { ...pool, session_persistence } as Pool
}

function freshMembers({ members }: DesiredListener, pool: PoolStatus): readonly Member[] | undefined {
  if (pool.members.length !== members.length) return undefined
  const found = members.map(({ name, address, port, subnet }) => {
    const there = pool.members.find((one) => one.address === address && one.protocol_port === port)
    if (there === undefined) return undefined
    const { id, provisioning_status } = there
    return { id, name, address, protocol_port: port, subnet_id: subnet, provisioning_status } as Member
  })
  return found.every((one) => one !== undefined) ? found : undefined
}
