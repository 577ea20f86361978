import { isPodReady } from "@pilothouse/api"
import type { EndpointAddress, EndpointPort, EndpointSubset, Pod, Service } from "@pilothouse/api/core/v1"
import { addressesIn, type Family, familyOf, hasClusterIp } from "../service-endpoints/addresses.ts"
import { hasAddress, hostnameIn, isDeleted } from "../service-endpoints/endpoint-pods.ts"
import { oncePerPorts, targetPortsOf } from "../service-endpoints/target-port.ts"

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

/** One subset for each pod; repacking makes few of many. */
export function podSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const notReadyToo = service.spec?.publishNotReadyAddresses === true
  const portsOf = oncePerPorts(service, (pod) => endpointPorts(service, pod))
  return pods
    .filter((pod) => hasAddress(pod) && (notReadyToo || !isDeleted(pod)))
    .flatMap((pod) => {
      const address = endpointAddress(service, pod)
      const ports = portsOf(pod)
      if (address === undefined || ports === undefined) return []
      const addresses = notReadyToo || isPodReady(pod) ? { addresses: [address] } : { notReadyAddresses: [address] }
      return [{ ...addresses, ports }]
    })
}

/** The ports that a pod offers; undefined where it offers none. A headless Service may have no ports, and its pods are listed all the same. */
function endpointPorts({ spec }: Service, pod: Pod): readonly EndpointPort[] | undefined {
  const ports = spec?.ports ?? []
  if (ports.length === 0) return spec?.clusterIP === "None" ? [] : undefined
  const targetPort = targetPortsOf(pod)
  const found = ports.flatMap((one) => {
    const port = targetPort(one)
    if (port === undefined) return []
    const { name, protocol = "TCP", appProtocol } = one
    return [{ ...(name && { name }), port, protocol, ...(appProtocol !== undefined && { appProtocol }) }]
  })
  return found.length === 0 ? undefined : found
}

/** Returns the address of a pod; undefined when the pod has no address in the Service's family: a node that is not dual stack yet. */
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

/** An address with what a port says of it. */
interface Offer {
  readonly address: EndpointAddress
  ready: boolean
}

/** Ports that all the same addresses offer. */
interface Group {
  readonly ports: EndpointPort[]
  readonly offers: readonly Offer[]
}

/**
 * The one form in which two lists of subsets that say the same are equal: ports that all the same addresses offer stand together, everything in order,
 * and no resourceVersion of a pod.
 * Example: a:80, a:443, b:80 and b:443 become one subset of a and b with both ports; with c:80 besides, two: [a b] 443 and [a b c] 80.
 */
export function repack(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const together = portsTogether(subsets)
  const work = together.reduce((sum, { of }) => sum + addressCount(of), 0)
  if (work > maxOffers) return subsets
  const groups = new Map<string, Group>()
  for (const { ports, of } of together) {
    const sorted = [...offersOf(of)].sort(([a], [b]) => order(a, b))
    const key = sorted.map(([name, { ready }]) => `${name} ${ready}`).join()
    const group = groups.get(key) ?? { ports: [], offers: sorted.map(([, one]) => one) }
    groups.set(key, group)
    for (const port of ports) if (port !== undefined) group.ports.push(port)
  }
  // Each port is in one group only, so the first one identifies the group.
  return [...groups.values()].map(toSubset).sort((a, b) => order(firstPort(a), firstPort(b)))
}

/** Addresses of all groups of ports together. Beyond it subsets stay as they are: 20 KB of them could stand for millions. */
const maxOffers = 500_000

interface PortsTogether {
  /** Undefined stands for "no ports at all". */
  readonly ports: (EndpointPort | undefined)[]
  readonly of: readonly EndpointSubset[]
}

/** Ports that stand in the same subsets: those of one list are not looked at one by one for each of its addresses. */
function portsTogether(subsets: readonly EndpointSubset[]): readonly PortsTogether[] {
  const lists = [...Map.groupBy(subsets, ({ ports }) => ports)]
  const byName = new Map<string, { readonly port: EndpointPort | undefined; readonly lists: number[] }>()
  for (const [index, [ports]] of lists.entries()) {
    for (const port of ports?.length ? ports : [undefined]) {
      const name = port === undefined ? "" : portName(port)
      const known = byName.get(name) ?? { port, lists: [] }
      byName.set(name, known)
      if (known.lists.at(-1) !== index) known.lists.push(index)
    }
  }
  return [...Map.groupBy(byName.values(), (one) => one.lists.join()).values()].map((ports) => ({
    ports: ports.map(({ port }) => port),
    of: ports[0]!.lists.flatMap((index) => lists[index]![1]),
  }))
}

function offersOf(subsets: readonly EndpointSubset[]): ReadonlyMap<string, Offer> {
  const offers = new Map<string, Offer>()
  for (const { addresses = [], notReadyAddresses = [] } of subsets) {
    for (const address of addresses) offer(offers, address, true)
    for (const address of notReadyAddresses) offer(offers, address, false)
  }
  return offers
}

/** Not ready wins: it reports a problem. */
function offer(offers: Map<string, Offer>, address: EndpointAddress, ready: boolean): void {
  // Pods on the host's network share its address; the pod distinguishes them.
  const name = `${address.ip} ${address.targetRef?.uid ?? ""}`
  const known = offers.get(name)
  if (known === undefined) offers.set(name, { address: withoutVersion(address), ready })
  else known.ready &&= ready
}

function withoutVersion(address: EndpointAddress): EndpointAddress {
  if (address.targetRef?.resourceVersion === undefined) return address
  const { resourceVersion: _, ...targetRef } = address.targetRef
  return { ...address, targetRef }
}

function toSubset({ ports, offers }: Group): EndpointSubset {
  const ready = offers.filter((one) => one.ready).map((one) => one.address)
  const notReady = offers.filter((one) => !one.ready).map((one) => one.address)
  return {
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && { ports: ports.sort((a, b) => order(portName(a), portName(b))) }),
  }
}

function firstPort({ ports = [] }: EndpointSubset): string {
  return ports[0] === undefined ? "" : portName(ports[0])
}

function portName({ name = "", port, protocol = "TCP", appProtocol = "" }: EndpointPort): string {
  return `${name} ${port} ${protocol} ${appProtocol}`
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
