import type { Service } from "@pilothouse/api/core/v1"
import type { LoadBalancer } from "../clients/octavia/types.ts"
import type { ApplyPlace } from "./apply.ts"
import { addressDescription, balancerDescription, isAddressOwnedBy, underCluster } from "./names.ts"
import { findFloatingIp, findListeners } from "./observe.ts"

export interface Renaming {
  readonly balancer: LoadBalancer
  readonly service: Service
  /** The name that the cluster had, and the one it has. */
  readonly former: string
  readonly cluster: string
}

type Part = Pick<LoadBalancer, "name" | "tags">

/** Everything that carries the name of the cluster gets the new one. The balancer last: what stopped half-way is begun again as long as that has the old one. */
export async function renameBalancer(place: ApplyPlace, { balancer, service, former, cluster }: Renaming): Promise<void> {
  const { cloud, id, signal } = place
  const { octavia, neutron } = cloud
  const renamed = (text: string) => underCluster(text, former, cluster)
  // An older Octavia, which has none, would refuse the attribute.
  const renamedTags = ({ tags }: Pick<Part, "tags">) => tags.length > 0 && { tags: tags.map(renamed) }
  const ready = () => cloud.polls.untilActive(id, { signal })
  const isOld = ({ name, tags }: Part) => [name, ...tags].some((text) => renamed(text) !== text)
  const renameChange = (part: Part) => ({ name: renamed(part.name), ...renamedTags(part) })
  for (const { listener, pool, monitor } of await findListeners(cloud, place, signal)) {
    if (monitor !== undefined && isOld(monitor)) {
      await ready()
      await octavia.healthMonitors.update(monitor.id, renameChange(monitor), { signal })
    }
    if (pool !== undefined && isOld(pool)) {
      await ready()
      await octavia.pools.update(pool.id, renameChange(pool), { signal })
    }
    if (isOld(listener)) {
      await ready()
      await octavia.listeners.update(listener.id, renameChange(listener), { signal })
    }
  }
  const floating = await findFloatingIp(cloud, balancer, signal)
  if (floating !== undefined && isAddressOwnedBy(former, floating.description))
    await neutron.floatingIps.update(floating.id, { description: addressDescription(cluster, service) }, { signal })
  const description = balancerDescription(cluster, service)
  const now = await ready()
  await octavia.loadBalancers.update(id, { ...renameChange(now), description }, { signal })
  await ready()
}
