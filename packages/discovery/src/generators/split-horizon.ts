import { parseIp } from "@pilothouse/api/net"
import type { Endpoint } from "../model/endpoint.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { XdsClient } from "./client.ts"

/** Which endpoints of another network are reached through its gateways; the rest of them is left out. */
export type Across = "mutual-tls" | "all"

/** On pods that take mutual TLS: Istio's gateways know by its server name where a connection is meant to go. */
const tlsLabel = "security.istio.io/tlsMode"

interface Share {
  readonly gateway: NetworkGateway
  /** The nearest of the endpoints that it stands for says where it counts as being. */
  nearest: Endpoint
  rank: number
  weight: number
}

/**
 * What can be seen from where: an endpoint of another network is replaced by that network's gateways, each with its share of the weight.
 *
 * Example: networks with 2 and with 3 gateways make the scale 6. An endpoint of weight 1 has 6 where it is near; far away each of 2 gateways has 3 of
 * it, and each of 3 gateways 2.
 */
export class Horizon {
  readonly #gateways = new Map<string, NetworkGateway[]>()
  readonly #across: Across
  readonly #scale: number
  readonly #scaled = new WeakMap<Endpoint, Endpoint>()

  /** Of gateways only those count that have an IP address: a name is not resolved here, and gRPC refuses one in an assignment. */
  constructor(gateways: readonly NetworkGateway[], across: Across) {
    this.#across = across
    for (const gateway of gateways.filter(({ address }) => parseIp(address) !== undefined)) {
      for (const key of [gateway.network, inCluster(gateway)]) {
        const known = this.#gateways.get(key)
        if (known === undefined) this.#gateways.set(key, [gateway])
        else known.push(gateway)
      }
    }
    this.#scale = [...this.#gateways.values()].reduce((scale, { length }) => leastCommonMultiple(scale, length), 1)
  }

  /** Clients with the same text see the same. */
  scope({ network, networkView }: XdsClient): string {
    if (this.#gateways.size === 0) return networkView.join()
    return `${network} ${networkView.join()}`
  }

  /** What a client receives of these. `rank`: how far away one is; 0 is nearest. */
  seenBy(client: XdsClient, endpoints: readonly Endpoint[], rank: (endpoint: Endpoint) => number): readonly Endpoint[] {
    const { network: own, networkView: view } = client
    const inView = view.length === 0 ? endpoints : endpoints.filter(({ network }) => network === "" || view.includes(network))
    if (this.#gateways.size === 0) return inView
    const near: Endpoint[] = []
    const shares = new Map<string, Share>()
    for (const endpoint of inView) {
      const gateways = own === "" || endpoint.network === "" || endpoint.network === own ? [] : this.#gatewaysTo(endpoint)
      if (gateways.length === 0) near.push(this.#scaledUp(endpoint))
      else if (this.#goesAcross(endpoint))
        for (const gateway of gateways) this.#share(shares, gateway, { endpoint, of: gateways.length, rank })
    }
    return [...near, ...[...shares.values()].map(asEndpoint)]
  }

  /** Those of its own cluster first; where there are none, all of its network. */
  #gatewaysTo({ network, cluster }: Endpoint): readonly NetworkGateway[] {
    return this.#gateways.get(inCluster({ network, cluster })) ?? this.#gateways.get(network) ?? []
  }

  /** One that is not well has no share: behind a gateway it cannot be distinguished from the others. */
  #goesAcross({ health, labels }: Endpoint): boolean {
    return health === "healthy" && (this.#across === "all" || labels[tlsLabel] === "istio")
  }

  /** A gateway stands in an assignment once, whatever it stands for: gRPC refuses an address that is there twice. */
  #share(shares: Map<string, Share>, gateway: NetworkGateway, { endpoint, of, rank }: ShareOf): void {
    const weight = (Math.max(1, endpoint.weight) * this.#scale) / of
    const distance = rank(endpoint)
    const key = `${gateway.address} ${gateway.port}`
    const known = shares.get(key)
    if (known === undefined) {
      shares.set(key, { gateway, nearest: endpoint, rank: distance, weight })
      return
    }
    known.weight += weight
    if (distance < known.rank) Object.assign(known, { nearest: endpoint, rank: distance })
  }

  /** The same object each time, so that its bytes are made once. */
  #scaledUp(endpoint: Endpoint): Endpoint {
    if (this.#scale === 1) return endpoint
    const known = this.#scaled.get(endpoint)
    if (known !== undefined) return known
    const made = { ...endpoint, weight: Math.max(1, endpoint.weight) * this.#scale }
    this.#scaled.set(endpoint, made)
    return made
  }
}

interface ShareOf {
  readonly endpoint: Endpoint
  /** Among how many gateways it is shared. */
  readonly of: number
  readonly rank: (endpoint: Endpoint) => number
}

function asEndpoint({ gateway, nearest, weight }: Share): Endpoint {
  const { network, cluster, address, port } = gateway
  const { portName, locality, namespace, node } = nearest
  const place = { locality, ...(node !== undefined && { node }) }
  return {
    addresses: [address],
    port,
    portName,
    health: "healthy",
    ...place,
    network,
    cluster,
    weight,
    labels: {},
    identity: "",
    namespace,
  }
}

function inCluster({ network, cluster }: Pick<NetworkGateway, "network" | "cluster">): string {
  return `${network} in ${cluster}`
}

function leastCommonMultiple(one: number, other: number): number {
  let [a, b] = [one, other]
  while (b !== 0) [a, b] = [b, a % b]
  return (one / a) * other
}
