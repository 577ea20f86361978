import type { Pod } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointPort, EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Family } from "../service-endpoints/addresses.ts"
import { hasAddress } from "../service-endpoints/endpoint-pods.ts"
import { noChanges, type SliceChanges, together } from "./changes.ts"
import { endpointKey, portsKey, portsOn, toEndpoint } from "./endpoint.ts"
import type { Observed } from "./observe.ts"
import { pack } from "./pack.ts"
import { hasServiceLabels, isOwnedBy, newSlice } from "./slice.ts"

interface DesiredGroup {
  readonly ports: readonly EndpointPort[]
  readonly endpoints: Map<string, Endpoint>
}

/** What becomes of a Service's slices of one family. */
export function changesInFamily(observed: Observed, family: Family, maxEndpoints: number): SliceChanges {
  const { service } = observed
  const slices = observed.slices.filter((slice) => slice.addressType === family)
  const own = slices.filter((slice) => isOwnedBy(slice, service))
  const groups = desiredByPorts(observed, family)
  const packed = [...groups].map(([key, { ports, endpoints }]) => {
    const existing = own.filter((slice) => portsKey(slice.ports) === key)
    return pack({ service, family, ports, desired: endpoints, existing, maxEndpoints })
  })
  // Slices of an older Service of this name, and of ports that the Service no longer has.
  const remove = slices.filter((slice) => !isOwnedBy(slice, service) || !groups.has(portsKey(slice.ports)))
  return withPlaceholder(observed, family, together([...packed, { ...noChanges, remove }]))
}

/** A pod whose node is not in the cache is left out, unless the Service publishes addresses that are not ready: it may be a leftover of a lost node. */
export function lacksNode({ service, nodes }: Observed, pod: Pod): boolean {
  return service.spec?.publishNotReadyAddresses !== true && hasAddress(pod) && !nodes.has(pod.spec?.nodeName ?? "")
}

function desiredByPorts(observed: Observed, family: Family): ReadonlyMap<string, DesiredGroup> {
  const { service, pods, nodes } = observed
  const groups = new Map<string, DesiredGroup>()
  for (const pod of pods.filter(hasAddress)) {
    const ports = portsOn(pod, service)
    const key = portsKey(ports)
    const group = groups.get(key) ?? { ports, endpoints: new Map<string, Endpoint>() }
    groups.set(key, group)
    if (lacksNode(observed, pod)) continue
    const endpoint = toEndpoint(service, pod, nodes.get(pod.spec?.nodeName ?? ""), family)
    if (endpoint !== undefined) group.endpoints.set(endpointKey(endpoint), endpoint)
  }
  return groups
}

/** A Service without endpoints has one empty slice: a proxy that sees none would not know whether they only have not come yet. */
function withPlaceholder({ service }: Observed, family: Family, changes: SliceChanges): SliceChanges {
  if (changes.create.length + changes.update.length + changes.unchanged.length > 0) return changes
  const [only, ...others] = changes.remove
  const isPlaceholder = (slice: EndpointSlice) =>
    isOwnedBy(slice, service) && hasServiceLabels(slice, service) && !slice.endpoints?.length && !slice.ports?.length
  if (only !== undefined && others.length === 0 && isPlaceholder(only)) return { ...noChanges, unchanged: [only] }
  return { ...changes, create: [newSlice(service, family, [])] }
}
