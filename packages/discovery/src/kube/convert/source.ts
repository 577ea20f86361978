import type { Endpoints } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"

/** A port of a slice. */
export interface SourcePort {
  readonly name: string
  /** Undefined: every port, which no service can have. */
  readonly port: number | undefined
}

/** An endpoint of a slice or of Endpoints. */
export interface SourceEndpoint {
  readonly addresses: readonly string[]
  readonly ready: boolean
  readonly serving: boolean
  readonly terminating: boolean
  readonly node?: string
  /** "namespace/name" of the pod; undefined where the address was written by hand. */
  readonly pod?: string
}

/** Endpoints of one service as they were written: a slice of them, or the older object with all of them. */
export interface EndpointSource {
  readonly key: string
  /** "namespace/name" of the Service; undefined where nothing says it. */
  readonly service: string | undefined
  readonly family: "IPv4" | "IPv6" | "any"
  /** Why none of it is used. */
  readonly ignored?: string
  readonly groups: readonly { readonly ports: readonly SourcePort[]; readonly endpoints: readonly SourceEndpoint[] }[]
}

const serviceLabel = "kubernetes.io/service-name"
const importLabel = "multicluster.kubernetes.io/service-name"

/** Returns the name of the slice's service, from its label. */
export function serviceOfSlice({ metadata }: EndpointSlice): string | undefined {
  const name = metadata.labels?.[serviceLabel]
  return name === undefined || name === "" ? undefined : `${metadata.namespace}/${name}`
}

/** Reads an EndpointSlice as a source. */
export function sourceOfSlice(slice: EndpointSlice): EndpointSource {
  const { metadata, addressType } = slice
  return {
    key: `${metadata.namespace}/${metadata.name}`,
    service: serviceOfSlice(slice),
    family: addressType === "IPv6" ? "IPv6" : "IPv4",
    ignored: whySliceIsIgnored(slice),
    groups: [{ ports: (slice.ports ?? []).map(sourcePort), endpoints: (slice.endpoints ?? []).map(sliceEndpoint(metadata.namespace)) }],
  }
}

/** Reads Endpoints as a source. */
export function sourceOfEndpoints({ metadata, subsets = [] }: Endpoints): EndpointSource {
  const key = `${metadata.namespace}/${metadata.name}`
  const endpoint = (ready: boolean) => (address: Address) => ({
    addresses: [address.ip],
    ready,
    serving: ready,
    terminating: false,
    node: address.nodeName,
    pod: podOf(address.targetRef, metadata.namespace),
  })
  const groups = subsets.map(({ addresses = [], notReadyAddresses = [], ports = [] }) => ({
    ports: ports.map(sourcePort),
    endpoints: [...addresses.map(endpoint(true)), ...notReadyAddresses.map(endpoint(false))],
  }))
  return { key, service: key, family: "any", groups }
}

type Address = NonNullable<NonNullable<Endpoints["subsets"]>[number]["addresses"]>[number]

function whySliceIsIgnored({ metadata, addressType }: EndpointSlice): string | undefined {
  if (metadata.labels?.[importLabel] !== undefined) return `it is the slice of an imported service (label ${importLabel})`
  if (addressType === "FQDN") return "its addresses are names (addressType FQDN)"
  return metadata.labels?.[serviceLabel] ? undefined : `it names no service (label ${serviceLabel})`
}

function sliceEndpoint(namespace: string | undefined): (endpoint: NonNullable<EndpointSlice["endpoints"]>[number]) => SourceEndpoint {
  return ({ addresses, conditions = {}, nodeName, targetRef }) => {
    const ready = conditions.ready ?? true
    return {
      addresses,
      ready,
      serving: conditions.serving ?? ready,
      terminating: conditions.terminating ?? false,
      node: nodeName,
      pod: podOf(targetRef, namespace),
    }
  }
}

function sourcePort({ name, port }: { readonly name?: string; readonly port?: number }): SourcePort {
  return { name: name ?? "", port }
}

function podOf(
  ref: { readonly kind?: string; readonly namespace?: string; readonly name?: string } | undefined,
  namespace = "",
): string | undefined {
  return ref?.kind === "Pod" ? `${ref.namespace ?? namespace}/${ref.name}` : undefined
}
