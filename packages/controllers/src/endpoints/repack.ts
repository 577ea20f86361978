import type { EndpointAddress, EndpointPort, EndpointSubset } from "@pilothouse/api/core/v1"

/** An address with what a port says of it. */
interface Offer {
  readonly address: EndpointAddress
  ready: boolean
}

interface Port {
  /** Undefined stands for "no ports at all". */
  readonly port: EndpointPort | undefined
  readonly offers: Map<string, Offer>
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
  const groups = new Map<string, Group>()
  for (const { port, offers } of offersByPort(subsets)) {
    const sorted = [...offers].sort(([a], [b]) => order(a, b))
    const key = sorted.map(([name, { ready }]) => `${name} ${ready}`).join()
    const group = groups.get(key) ?? { ports: [], offers: sorted.map(([, one]) => one) }
    groups.set(key, group)
    if (port !== undefined) group.ports.push(port)
  }
  // Each port is in one group only, so the first one identifies the group.
  return [...groups.values()].map(toSubset).sort((a, b) => order(firstPort(a), firstPort(b)))
}

function offersByPort(subsets: readonly EndpointSubset[]): Iterable<Port> {
  const ports = new Map<string, Port>()
  for (const subset of subsets) {
    for (const port of subset.ports?.length ? subset.ports : [undefined]) {
      const name = port === undefined ? "" : portName(port)
      const known = ports.get(name) ?? { port, offers: new Map<string, Offer>() }
      ports.set(name, known)
      for (const address of subset.addresses ?? []) offer(known, address, true)
      for (const address of subset.notReadyAddresses ?? []) offer(known, address, false)
    }
  }
  return ports.values()
}

/** Not ready wins: it reports a problem. */
function offer({ offers }: Port, address: EndpointAddress, ready: boolean): void {
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
