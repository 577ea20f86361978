import type { Service, ServicePort } from "../../model/service.ts"
import { messages } from "../../wire/messages.ts"
import { Resource } from "../../xds/resource.ts"
import type { XdsClient } from "../client.ts"
import type { Source } from "../generator.ts"
import { addressesOf, clusterName, isHttp, toldPorts, visibleIn } from "../names.ts"
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
  /** Name of a TCP listener → host and port it was last seen to be of, so that rendering one looks at one service. Rebuilt as services are met. */
  readonly #owners = new Map<string, { readonly hostname: string; readonly port: number }>()

  constructor(source: Source) {
    this.#source = source
  }

  names(client: XdsClient): Iterable<string> {
    const names = new Set<string>(client.interception === "redirect" ? [virtualOutbound] : [])
    for (const service of this.#source.services()) {
      if (!visibleIn(service, client.namespace)) continue
      for (const port of toldPorts(service)) {
        if (isHttp(port)) names.add(httpListenerName(port.port))
        else for (const name of this.#tcpNames(service, port)) names.add(name)
      }
    }
    return names
  }

  render(name: string, client: XdsClient): Resource | undefined {
    const made = this.#make(name, client)
    return made && new Resource("listener", name, [messages.listener.encode(made)])
  }

  /** Names of TCP listeners that this service has. */
  affectedBy(service: Service): readonly string[] {
    return toldPorts(service)
      .filter((port) => !isHttp(port))
      .flatMap((port) => this.#tcpNames(service, port))
  }

  #make(name: string, client: XdsClient): object | undefined {
    if (name === virtualOutbound) return client.interception === "redirect" ? virtualOutboundListener() : undefined
    const [address = "", portText = ""] = name.split("_")
    const port = Number(portText)
    if (name === httpListenerName(port)) return this.#http(port, client)
    const owner = this.#owners.get(name)
    const service = owner && this.#source.service(owner.hostname)
    if (service === undefined || !visibleIn(service, client.namespace) || !canListen(address, port, client)) return undefined
    const found = toldPorts(service).find((one) => one.port === owner?.port && !isHttp(one))
    if (found === undefined || !this.#tcpNames(service, found).includes(name)) {
      this.#owners.delete(name)
      return undefined
    }
    return tcpListener(address, port, clusterName(found.port, service.hostname), client)
  }

  #http(port: number, client: XdsClient): object | undefined {
    const any = mayTake(port, client) && this.#source.httpServices(port).some((service) => visibleIn(service, client.namespace))
    return any ? httpListener(port, client) : undefined
  }

  /** Virtual addresses; of a headless service those of its endpoints. The first service that has an address keeps it. */
  #tcpNames(service: Service, port: ServicePort): readonly string[] {
    const headless = service.resolution === "passthrough"
    const places = headless
      ? this.#endpointPlaces(service, port)
      : addressesOf(service).map((address) => tcpListenerName(address, port.port))
    for (const name of places) {
      const owner = this.#owners.get(name)
      if (owner === undefined || this.#source.service(owner.hostname) === undefined)
        this.#owners.set(name, { hostname: service.hostname, port: port.port })
    }
    return places
  }

  #endpointPlaces(service: Service, port: ServicePort): readonly string[] {
    const endpoints = this.#source.endpoints(service.hostname).filter((endpoint) => endpoint.portName === port.name)
    return [...new Set(endpoints.map(({ addresses, port: target }) => tcpListenerName(addresses[0] ?? "", target)))]
  }
}
