import type { ClusterRegistry } from "../kube/cluster-registry.ts"
import { isHidden, type Service } from "../model/service.ts"

export interface Part {
  readonly registry: ClusterRegistry
  readonly service: Service
}

/**
 * The clusters that a service of this hostname is put together of. One that shows it to nobody takes no part where another shows it: of its endpoints
 * nobody is told, so that they would grow old in everybody's hands.
 */
export function contributingClusters(registries: readonly ClusterRegistry[], hostname: string): readonly Part[] {
  const having = registries.flatMap((registry) => {
    const service = registry.getService(hostname)
    return service === undefined ? [] : [{ registry, service }]
  })
  const seen = having.filter(({ service }) => !isHidden(service))
  return seen.length === 0 ? having : seen
}
