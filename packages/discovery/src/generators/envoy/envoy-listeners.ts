import type { Endpoint } from "../../model/endpoint.ts"
import type { Service, ServicePort } from "../../model/service.ts"
import { messages } from "../../wire/messages.ts"
import { Resource } from "../../xds/resource.ts"
import type { XdsClient } from "../client.ts"
import type { Source } from "../generator.ts"
import { addressesOf, clusterName, exportedPorts, isHttp, visibleIn } from "../names.ts"
import {
  canListen,
  httpListener,
  httpListenerName,
  mayTake,
  tcpListener,
  tcpListenerName,
  virtualOutbound,
  virtualOutboundListener,
} from "./envoy-listener.ts"

/** Which listeners an Envoy has, and whose they are. */
export class EnvoyListeners {
  readonly #source: Source
  /** Of TCP listeners, so that rendering reads few services. Filled as services are met. */
  readonly #claims = new ListenerClaims()

  constructor(source: Source) {
    this.#source = source
  }

  names(client: XdsClient): Iterable<string> {
    const names = new Set<string>(client.interception === "redirect" ? [virtualOutbound] : [])
    for (const service of this.#source.services()) {
      const ofAddresses = this.#meet(service)
      if (!visibleIn(service, client.namespace)) continue
      for (const port of exportedPorts(service)) if (isHttp(port)) names.add(httpListenerName(port.port))
      for (const name of ofAddresses) names.add(name)
    }
    return names
  }

  render(name: string, client: XdsClient): Resource | undefined {
    const made = this.#make(name, client)
    return made && new Resource("listener", name, [messages.listener.encode(made)])
  }

  /** Names of TCP listeners that this service has, be it one that was there before. */
  affectedBy(service: Service): readonly string[] {
    const { hostname } = service
    const current = this.#source.getService(hostname)
    if (current === undefined) this.#claims.put(hostname, new Map())
    const names = current && this.#meet(current)
    return names !== undefined && current === service ? names : [...this.#tcpNames(service).keys()]
  }

  #make(name: string, client: XdsClient): object | undefined {
    if (name === virtualOutbound) return client.interception === "redirect" ? virtualOutboundListener() : undefined
    const [address = "", portText = ""] = name.split("_")
    const port = Number(portText)
    if (name === httpListenerName(port)) return this.#http(port, client)
    const cluster = this.#clusterBehind(name, client)
    return cluster !== undefined && canListen(address, port, client) ? tcpListener(address, port, cluster, client) : undefined
  }

  #http(port: number, client: XdsClient): object | undefined {
    const any = mayTake(port, client) && this.#source.httpServices(port).some((service) => visibleIn(service, client.namespace))
    return any ? httpListener(port, client) : undefined
  }

  /** Of several services that have an address the first by name has it, of those that this client may know of. */
  #clusterBehind(name: string, client: XdsClient): string | undefined {
    for (const { hostname, port } of this.#claims.of(name)) {
      const service = this.#source.getService(hostname)
      if (service !== undefined && visibleIn(service, client.namespace)) return clusterName(port, hostname)
    }
    return undefined
  }

  /** Updates the addresses of a service. */
  #meet(service: Service): readonly string[] {
    const names = this.#tcpNames(service)
    this.#claims.put(service.hostname, names)
    return [...names.keys()]
  }

  /** Name → port. Virtual addresses; of a headless service those of its endpoints. */
  #tcpNames(service: Service): ReadonlyMap<string, number> {
    const names = new Map<string, number>()
    const placesOf = this.#places(service)
    for (const port of exportedPorts(service)) {
      if (isHttp(port)) continue
      for (const place of placesOf(port)) if (!names.has(place)) names.set(place, port.port)
    }
    return names
  }

  /** The endpoints are read once for all ports: a service may have thousands of each. */
  #places(service: Service): (port: ServicePort) => readonly string[] {
    if (service.resolution !== "passthrough") {
      const addresses = addressesOf(service)
      return ({ port }) => addresses.map((address) => tcpListenerName(address, port))
    }
    const byPort = Map.groupBy(this.#source.endpoints(service.hostname), ({ portName }) => portName)
    const placeOf = ({ addresses, port }: Endpoint) => tcpListenerName(addresses[0] ?? "", port)
    return ({ name }) => byPort.get(name)?.map(placeOf) ?? []
  }
}

/** A host and the port of its service that an address stands for. */
interface Claim {
  readonly hostname: string
  readonly port: number
}

const nothing: ReadonlyMap<string, number> = new Map()

/**
 * The hosts that have the address and port a listener is named after: several may have the same, as two headless Services with the same pods do.
 *
 * Invariant: a name has a claim of a host exactly where the last `put` of that host has the name; claims stand in the order of hostnames, so that every
 * replica gives an address to the same host.
 */
export class ListenerClaims {
  readonly #byName = new Map<string, Claim[]>()
  readonly #byHost = new Map<string, ReadonlyMap<string, number>>()

  /** All names that a host has now, each with its port. Touches only those that differ from before. */
  put(hostname: string, names: ReadonlyMap<string, number>): void {
    const before = this.#byHost.get(hostname) ?? nothing
    for (const name of before.keys()) if (!names.has(name)) this.#remove(name, hostname)
    for (const [name, port] of names) if (before.get(name) !== port) this.#set(name, { hostname, port })
    if (names.size === 0) this.#byHost.delete(hostname)
    else this.#byHost.set(hostname, names)
  }

  of(name: string): readonly Claim[] {
    return this.#byName.get(name) ?? []
  }

  #set(name: string, claim: Claim): void {
    const claims = this.#byName.get(name)
    if (claims === undefined) return void this.#byName.set(name, [claim])
    const at = position(claims, claim.hostname)
    claims.splice(at, claims[at]?.hostname === claim.hostname ? 1 : 0, claim)
  }

  #remove(name: string, hostname: string): void {
    const claims = this.#byName.get(name)
    if (claims === undefined) return
    claims.splice(position(claims, hostname), 1)
    if (claims.length === 0) this.#byName.delete(name)
  }
}

/** Where the claim of a host is, or belongs: the index of the first one that is not before it. */
function position(claims: readonly Claim[], hostname: string): number {
  let from = 0
  let to = claims.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (claims[middle]!.hostname < hostname) from = middle + 1
    else to = middle
  }
  return from
}
