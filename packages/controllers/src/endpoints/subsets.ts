import { isPodReady } from "@pilothouse/api"
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "@pilothouse/api/core/v1"
import { addressesIn, type Family, familyOf, hasClusterIp } from "../service-endpoints/addresses.ts"
import { hasAddress, hostnameIn, isDeleted } from "../service-endpoints/endpoint-pods.ts"
import { targetPortsOf } from "../service-endpoints/target-port.ts"

/** Larger Endpoints burden all their watchers; EndpointSlices exist for larger Services. */
export const maxCapacity = 1000

type Kind = "addresses" | "notReadyAddresses"

/**
 * At most so many addresses, ready ones first, each subset with its share (rounded up, so that the last may get less).
 * Example: 1000 of 900 ready and 300 not ready in two equal subsets: all ready ones, and 50 of each 150.
 */
export function truncate(subsets: readonly EndpointSubset[], capacity = maxCapacity): readonly EndpointSubset[] {
  const ready = count(subsets, "addresses")
  const notReady = count(subsets, "notReadyAddresses")
  if (ready + notReady <= capacity) return subsets
  if (ready <= capacity) return share(subsets, "notReadyAddresses", notReady, capacity - ready)
  return share(
    subsets.map(({ notReadyAddresses: _, ...rest }) => rest),
    "addresses",
    ready,
    capacity,
  )
}

export function addressCount(subsets: readonly EndpointSubset[]): number {
  return count(subsets, "addresses") + count(subsets, "notReadyAddresses")
}

function count(subsets: readonly EndpointSubset[], kind: Kind): number {
  return subsets.reduce((sum, subset) => sum + (subset[kind]?.length ?? 0), 0)
}

function share(subsets: readonly EndpointSubset[], kind: Kind, total: number, room: number): readonly EndpointSubset[] {
  let remaining = room
  const cut = subsets.map(({ [kind]: all = [], ...rest }): EndpointSubset => {
    const some: readonly EndpointAddress[] = all.slice(0, Math.min(remaining, Math.ceil((all.length / total) * room)))
    remaining -= some.length
    return some.length === 0 ? rest : { ...rest, [kind]: some }
  })
  // A subset without any address is refused by the server.
  return cut.filter((subset) => subset.addresses !== undefined || subset.notReadyAddresses !== undefined)
}

/** One subset for each pod and port; repacking makes few of many. */
export function podSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const notReadyToo = service.spec?.publishNotReadyAddresses === true
  return pods
    .filter((pod) => hasAddress(pod) && (notReadyToo || !isDeleted(pod)))
    .flatMap((pod) => {
      const address = endpointAddress(service, pod)
      if (address === undefined) return []
      const addresses = notReadyToo || isPodReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] }
      return endpointPorts(service, pod).map((ports) => ({ ...addresses, ports }))
    })
}

/** Each of the ports alone. A headless Service may have none, and its pods are listed all the same. */
function endpointPorts({ spec }: Service, pod: Pod): readonly (readonly EndpointPort[])[] {
  const ports = spec?.ports ?? []
  if (ports.length === 0) return spec?.clusterIP === "None" ? [[]] : []
  const targetPort = targetPortsOf(pod)
  return ports.flatMap((one) => {
    const port = targetPort(one)
    if (port === undefined) return []
    const { name, protocol = "TCP", appProtocol } = one
    return [[{ ...(name && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]]
  })
}

/** Undefined when the pod has no address in the Service's family: a node that is not dual stack yet. */
export function endpointAddress(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = addressesIn(firstFamily(service, pod), pod)
  if (ip === undefined) return undefined
  const { name, namespace, uid } = pod.metadata
  const hostname = hostnameIn(service, pod)
  const nodeName = pod.spec?.nodeName
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  }
}

/** Endpoints have one family, that of the Service's first address. */
function firstFamily({ spec }: Service, { status }: Pod): Family {
  const declared = spec?.ipFamilies?.[0]
  if (declared === "IPv4" || declared === "IPv6") return declared
  return familyOf((hasClusterIp({ spec }) ? spec?.clusterIP : status?.podIP) ?? "")
}
