import type { Endpoint, EndpointHealth, Locality } from "../model/endpoint.ts"
import { digest } from "../wire/digest.ts"
import { field } from "../wire/length-delimited.ts"
import { messages } from "../wire/messages.ts"

const lbEndpointsField = 2
const healthStatus: Readonly<Record<EndpointHealth, string>> = { healthy: "HEALTHY", unhealthy: "UNHEALTHY", draining: "DRAINING" }

/** An endpoint as protobuf bytes. */
export interface EncodedEndpoint {
  /** The field `lb_endpoints` of a LocalityLbEndpoints. */
  readonly bytes: Buffer
  readonly digest: string
  /** "10.0.0.1 8080" */
  readonly address: string
  /** "region/zone/subzone" */
  readonly place: string
}

/** The bytes of each endpoint, made once: an endpoint is the same object as long as nothing about it changes. */
export class EndpointBytes {
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
