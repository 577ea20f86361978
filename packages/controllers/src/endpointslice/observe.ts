import { type Node, nodes, type Pod, type Service, services } from "@pilothouse/api/core/v1"
import { type EndpointSlice, endpointSlices } from "@pilothouse/api/discovery/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { podsOf, selects } from "../service-endpoints/selector.ts"
import { usesTopologyHints } from "./hints.ts"
import { isManaged, serviceNameLabel } from "./slice.ts"

/** A Service, the pods that it selects, their nodes and the EndpointSlices that exist for it. */
export interface Observed {
  readonly service: Service
  /** Every pod that the Service selects, in the order of their names. */
  readonly pods: readonly Pod[]
  /** The nodes of those pods, by name. */
  readonly nodes: ReadonlyMap<string, Node>
  /** The Service's slices of this controller, without those that are being deleted. */
  readonly slices: readonly EndpointSlice[]
  /** All nodes, where the Service's traffic is spread by the CPUs of the zones. */
  readonly everyNode: readonly Node[]
}

/** Slices of this controller by the Service they name. */
export const slicesByService = index(endpointSlices, "managed-service-name", serviceKeys)

/** A Service that is gone leaves nothing to do: its slices are owned by it, and the garbage collector takes them. */
export function observe(key: string, read: Reader): Observed | undefined {
  const service = read.get(services, key)
  if (service === undefined) return undefined
  const pods = selects(service) ? podsOf(service, read) : []
  const slices = read.byIndex(slicesByService, key).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const everyNode = usesTopologyHints(service) ? read.list(nodes) : []
  return { service, pods, nodes: nodesByName(pods, read), slices: inOrder(slices.map(withLists)), everyNode }
}

/** kube-apiserver writes an empty list of a slice as null. */
export function withLists(slice: EndpointSlice): EndpointSlice {
  if (Array.isArray(slice.endpoints) && Array.isArray(slice.ports)) return slice
  return { ...slice, endpoints: slice.endpoints ?? [], ports: slice.ports ?? [] }
}

function nodesByName(pods: readonly Pod[], read: Reader): ReadonlyMap<string, Node> {
  const names = new Set(pods.flatMap((pod) => pod.spec?.nodeName || []))
  return new Map([...names].flatMap((name) => read.get(nodes, name) ?? []).map((node) => [node.metadata.name ?? "", node]))
}

function inOrder(slices: readonly EndpointSlice[]): readonly EndpointSlice[] {
  return [...slices].sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
}

/** Returns the key of the Service that a slice of this controller names. */
export function serviceKeys(slice: EndpointSlice): readonly string[] {
  const name = slice.metadata.labels?.[serviceNameLabel]
  return isManaged(slice) && name ? [`${slice.metadata.namespace}/${name}`] : []
}
