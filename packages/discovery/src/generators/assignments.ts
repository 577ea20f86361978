import type { Endpoint, EndpointHealth, Locality } from "../model/endpoint.ts"
import type { Service } from "../model/service.ts"
import { wantsUnhealthy } from "../model/unhealthy.ts"
import { digest, digestAll } from "../wire/digest.ts"
import { field, header, lengthOf, numberField, textField } from "../wire/length-delimited.ts"
import { messages } from "../wire/messages.ts"
import { Resource } from "../xds/resource.ts"
import type { XdsClient } from "./client.ts"
import type { Source } from "./generator.ts"
import { exportedPorts, parseClusterName, visibleIn } from "./names.ts"
import { type Across, Horizon } from "./split-horizon.ts"

const lbEndpointsField = 2
const healthStatus: Readonly<Record<EndpointHealth, string>> = { healthy: "HEALTHY", unhealthy: "UNHEALTHY", draining: "DRAINING" }

/**
 * Generates EDS: endpoints by the name of their cluster, as Istio's EdsGenerator. The same for both sorts of clients.
 * Every name has an assignment, if only an empty one.
 */
export class Assignments {
  readonly #source: Source
  readonly #encoded = new EndpointBytes()
  readonly #across: Across
  /** Undefined where gateways changed since it was last needed. */
  #horizon: Horizon | undefined

  constructor(source: Source, across: Across) {
    this.#source = source
    this.#across = across
  }

  /** Gateways between networks changed, or may have. */
  forgetGateways(): void {
    this.#horizon = undefined
  }

  render(name: string, client: XdsClient): Resource {
    const target = parseClusterName(name)
    const service = target && this.#source.getService(target.hostname)
    // Of the exported ones: DNS has the same number twice, and other endpoints for UDP.
    const port = service && exportedPorts(service).find((one) => one.port === target?.port)
    if (service === undefined || port === undefined || !visibleIn(service, client.namespace))
      return loadAssignment(name, [], () => 0, this.#encoded)
    const endpoints = endpointsFor(service, port.name, this.#source.endpoints(service.hostname), client)
    const rank = rankFor(service, client)
    return loadAssignment(name, this.#from().seenBy(client, endpoints, rank), rank, this.#encoded)
  }

  scope(name: string, client: XdsClient): string {
    const target = parseClusterName(name)
    const service = target && this.#source.getService(target.hostname)
    if (service === undefined) return ""
    const hidden = service.exportTo.includes("*") ? "" : client.namespace
    return `${hidden}${assignmentScope(service, client)}${this.#from().scope(client)}`
  }

  #from(): Horizon {
    this.#horizon ??= new Horizon(this.#source.networkGateways(), this.#across)
    return this.#horizon
  }
}

const endpointsField = 2

interface Group {
  readonly locality: Locality
  readonly place: string
  readonly priority: number
  readonly endpoints: EncodedEndpoint[]
  weight: number
  /** Bytes of all its endpoints. */
  length: number
}

/** A ClusterLoadAssignment from the bytes of its endpoints. With no endpoints it is empty, which ends a client's waiting. */
function loadAssignment(
  name: string,
  endpoints: readonly Endpoint[],
  rank: (endpoint: Endpoint) => number,
  encoded: EndpointBytes,
): Resource {
  const parts: Uint8Array[] = [textField(1, name)]
  const digests = [name]
  for (const group of grouped(endpoints, rank, encoded)) {
    const locality = messages.locality.encode({ region: group.locality.region, zone: group.locality.zone, subZone: group.locality.subzone })
    const weight = numberField(1, group.weight)
    const before = [header(1, locality.length), locality]
    const after = [header(3, weight.length), weight, numberField(5, group.priority)]
    parts.push(header(endpointsField, lengthOf(before) + group.length + lengthOf(after)), ...before)
    digests.push(group.place, String(group.priority))
    for (const one of group.endpoints) {
      parts.push(one.bytes)
      digests.push(one.digest)
    }
    parts.push(...after)
  }
  return new Resource("endpoint", name, parts, digestAll(digests))
}

/** By locality, nearest first; no gap between priorities and no address twice, or gRPC refuses it all. */
function grouped(endpoints: readonly Endpoint[], rank: (endpoint: Endpoint) => number, encoded: EndpointBytes): readonly Group[] {
  const seen = new Set<string>()
  const groups: Group[] = []
  let group: Group | undefined
  for (const endpoint of endpoints) {
    const one = encoded.of(endpoint)
    if (seen.has(one.address)) continue
    seen.add(one.address)
    const priority = rank(endpoint)
    const isIts = (candidate: Group) => candidate.priority === priority && candidate.place === one.place
    if (group === undefined || !isIts(group)) group = groups.find(isIts)
    if (group === undefined) {
      group = { locality: endpoint.locality, place: one.place, priority, endpoints: [], weight: 0, length: 0 }
      groups.push(group)
    }
    group.endpoints.push(one)
    group.weight += Math.max(1, endpoint.weight)
    group.length += one.bytes.length
  }
  groups.sort((one, other) => one.priority - other.priority || (one.place < other.place ? -1 : 1))
  const ranks = [...new Set(groups.map(({ priority }) => priority))]
  return groups.map((one) => ({ ...one, priority: ranks.indexOf(one.priority) }))
}

/** The endpoints behind one port that a client receives. Unready ones are left out, unless the service publishes them. */
function endpointsFor(service: Service, portName: string, all: readonly Endpoint[], client: XdsClient): readonly Endpoint[] {
  const unhealthyToo = wantsUnhealthy(service)
  const home = isClusterLocal(service) ? client.cluster : ""
  return all.filter(
    (endpoint) =>
      endpoint.portName === portName &&
      (endpoint.health !== "unhealthy" || unhealthyToo) &&
      (!service.nodeLocal || endpoint.node === client.node) &&
      (home === "" || endpoint.cluster === home),
  )
}

/** How far away an endpoint counts as being, by the service's traffic distribution; 0 is nearest. */
function rankFor(service: Service, client: XdsClient): (endpoint: Endpoint) => number {
  if (service.distribution === "any") return () => 0
  const sameZone = ({ locality }: Endpoint) => locality.region === client.locality.region && locality.zone === client.locality.zone
  if (service.distribution === "same-zone") return (endpoint) => (sameZone(endpoint) ? 0 : 1)
  return (endpoint) => {
    if (client.node !== "" && endpoint.node === client.node) return 0
    return sameZone(endpoint) ? 1 : 2
  }
}

/** Clients with the same text get the same assignment of this service. */
function assignmentScope(service: Service, client: XdsClient): string {
  const node = service.nodeLocal || service.distribution === "same-node" ? client.node : ""
  const zone = service.distribution === "any" ? "" : `${client.locality.region}/${client.locality.zone}`
  const home = isClusterLocal(service) ? client.cluster : ""
  return node === "" && zone === "" && home === "" ? "" : `${node} ${zone} ${home}`
}

/** Services that mean something else in every cluster: merged by hostname, a client of one must not get to the API server or the DNS of another. */
function isClusterLocal({ name, namespace }: Pick<Service, "name" | "namespace">): boolean {
  return namespace === "kube-system" || (namespace === "default" && name === "kubernetes")
}

/** An endpoint as protobuf bytes. */
interface EncodedEndpoint {
  /** The field `lb_endpoints` of a LocalityLbEndpoints. */
  readonly bytes: Buffer
  readonly digest: string
  /** "10.0.0.1 8080" */
  readonly address: string
  /** "region/zone/subzone" */
  readonly place: string
}

/** The bytes of each endpoint, made once: an endpoint is the same object as long as nothing about it changes. */
class EndpointBytes {
  readonly #encoded = new WeakMap<Endpoint, EncodedEndpoint>()
  /** One text for each place: thousands of endpoints are then compared by identity. Bounded by the zones there are. */
  readonly #places = new Map<string, string>()

  of(endpoint: Endpoint): EncodedEndpoint {
    const known = this.#encoded.get(endpoint)
    if (known !== undefined) return known
    const bytes = field(lbEndpointsField, messages.lbEndpoint.encode(lbEndpoint(endpoint)))
    const made = {
      bytes,
      digest: digest(bytes),
      address: `${endpoint.addresses[0]} ${endpoint.port}`,
      place: this.#placeOf(endpoint.locality),
    }
    this.#encoded.set(endpoint, made)
    return made
  }

  #placeOf({ region, zone, subzone }: Locality): string {
    const place = `${region}/${zone}/${subzone}`
    const known = this.#places.get(place)
    if (known !== undefined) return known
    this.#places.set(place, place)
    return place
  }
}

function lbEndpoint(endpoint: Endpoint): object {
  const [first = "", ...others] = endpoint.addresses
  const address = (ip: string) => ({ socketAddress: { address: ip, portValue: endpoint.port } })
  return {
    endpoint: { address: address(first), additionalAddresses: others.map((ip) => ({ address: address(ip) })) },
    healthStatus: healthStatus[endpoint.health],
    loadBalancingWeight: { value: Math.max(1, endpoint.weight) },
    ...(endpoint.pod !== undefined && {
      metadata: { filterMetadata: { istio: { fields: { workload: { stringValue: workload(endpoint) } } } } },
    }),
  }
}

/** "name;namespace;canonical service;canonical revision;cluster", which Istio's telemetry reads. */
function workload({ workload: name = "", namespace, labels, cluster }: Endpoint): string {
  const canonical = labels["service.istio.io/canonical-name"] ?? labels["app.kubernetes.io/name"] ?? labels.app ?? name
  const revision = labels["service.istio.io/canonical-revision"] ?? labels["app.kubernetes.io/version"] ?? labels.version ?? ""
  return [name, namespace, canonical, revision, cluster].join(";")
}
