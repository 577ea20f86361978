import { isSimulatedNode } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Endpoint, type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { isLoopbackIp } from "@pilothouse/api/net"
import type { Random } from "@pilothouse/seams"
import { listPrefix, readObject } from "../registry/object-key.ts"
import type { Registry } from "../registry/registry.ts"
import type { Storage } from "../storage/storage.ts"

interface Sources {
  readonly storage: Storage
  readonly registry: Registry
  /** Draws among several slices. */
  readonly random: Pick<Random, "next">
}

/** Where connections to a port of a Service may go. */
export interface ReadyEndpoint {
  readonly address: string
  readonly port: number
  readonly nodeName: string | undefined
}

/** The EndpointSlices of a Service from any of them on; those of the preferred IP family come first. */
export function slicesOf(
  { storage, registry, random }: Sources,
  namespace: string,
  service: string,
  preferred: string | undefined,
): readonly EndpointSlice[] {
  const resource = registry.of(endpointSlices)
  const slices = storage.list(listPrefix(resource, namespace)).items.map(({ value }) => resource.stored.decode(value) as EndpointSlice)
  const own = slices.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === service)
  const drawn = startingAnywhere(own, random)
  if (preferred === undefined) return drawn
  return [...drawn.filter(({ addressType }) => addressType === preferred), ...drawn.filter(({ addressType }) => addressType !== preferred)]
}

/** The first ready endpoint of a named port, from any on, that `accepts` takes. */
export function readyEndpoint(
  slices: readonly EndpointSlice[],
  portName: string,
  random: Pick<Random, "next">,
  accepts: (endpoint: Endpoint, address: string) => boolean = () => true,
): ReadyEndpoint | undefined {
  for (const { ports = [], endpoints = [] } of slices) {
    const port = ports.find((one) => (one.name ?? "") === portName)?.port
    if (port === undefined) continue
    for (const endpoint of startingAnywhere(endpoints, random)) {
      const [address] = endpoint.addresses
      if (endpoint.conditions?.ready === false || address === undefined || !accepts(endpoint, address)) continue
      return { address, port: Number(port), nodeName: endpoint.nodeName }
    }
  }
  return undefined
}

/** A pod on a simulated node runs nowhere, unless it is a process: those have addresses of this host. */
export function isSimulatedAddress({ storage, registry }: Omit<Sources, "random">, address: string, nodeName: string | undefined): boolean {
  if (nodeName === undefined || isLoopbackIp(address)) return false
  const node: Node | undefined = readObject(storage, registry.of(nodes), undefined, nodeName)
  return node !== undefined && isSimulatedNode(node) && (node.status?.addresses ?? []).every((one) => one.address !== address)
}

/** All of a list in order, but from any of its items on: as upstream draws endpoints. */
function startingAnywhere<T>(items: readonly T[], random: Pick<Random, "next">): readonly T[] {
  if (items.length < 2) return items
  const start = Math.floor(random.next() * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}
