import type { LBaaSState } from "../../versioned-objects/objects.ts"
import type { FoundTree } from "./tree.ts"

/** What the cloud has, as the state annotation says it; in the order of names, so that the same tree gives the same text. */
export function balancerState({ balancer, listeners }: FoundTree): LBaaSState {
  const { id, name, project_id, vip_address: ip, vip_subnet_id: subnet_id } = balancer
  const sorted = listeners.toSorted((one, other) => compare(one.listener.name, other.listener.name))
  return {
    loadbalancer: { id, name, project_id, ip, subnet_id },
    listeners: sorted.map(({ listener }) => ({
      id: listener.id,
      project_id,
      name: listener.name,
      loadbalancer_id: id,
      protocol: listener.protocol,
      port: listener.protocol_port,
    })),
    pools: sorted.flatMap(({ listener, pool }) =>
      pool === undefined
        ? []
        : [{ id: pool.id, project_id, name: pool.name, loadbalancer_id: id, listener_id: listener.id, protocol: pool.protocol }],
    ),
    members: sorted.flatMap(({ pool, members }) =>
      members
        .toSorted((one, other) => compare(one.name, other.name))
        .map((one) => ({
          id: one.id,
          project_id,
          name: one.name,
          pool_id: pool?.id ?? "",
          subnet_id: one.subnet_id ?? subnet_id,
          ip: one.address,
          port: one.protocol_port,
        })),
    ),
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
