import type { ClusterRegistry } from "../kube/cluster-registry.ts"
import { isHidden, type Service } from "../model/service.ts"

export interface Part {
  readonly registry: ClusterRegistry
  readonly service: Service
}

/**
 * The clusters that contribute to a service of this hostname. One that hides it does not contribute where another shows it: changes of its endpoints are
 * not announced, so that clients would hold stale ones.
 */
export function contributingClusters(registries: readonly ClusterRegistry[], hostname: string): readonly Part[] {
  const having = registries.flatMap((registry) => {
    const service = registry.getService(hostname)
    return service === undefined ? [] : [{ registry, service }]
  })
  const seen = having.filter(({ service }) => !isHidden(service))
  return seen.length === 0 ? having : seen
}

/** One service of several clusters: the first says what it is, the others add their addresses and the accounts that they know. */
export function mergeServices(services: readonly Service[]): Service {
  const addresses = Object.fromEntries(services.flatMap((service) => Object.entries(service.addresses)))
  const external = [...new Set(services.flatMap(({ externalAddresses = [] }) => externalAddresses))]
  return {
    ...services[0]!,
    addresses,
    accounts: [...new Set(services.flatMap(({ accounts }) => accounts))].sort(),
    ...(external.length === 0 ? {} : { externalAddresses: external }),
  }
}
