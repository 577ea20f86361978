import type { Endpoint, Place } from "../model/endpoint.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { Service } from "../model/service.ts"
import type { Registry, RegistrySubscriber } from "./registry.ts"

/** A registry that is filled by hand: for tests, and for sources of one's own. Returns the same objects as long as nothing changes; subscribers are notified after a method has returned. */
export class StaticRegistry implements Registry {
  synced = true
  readonly #services = new Map<string, Service>()
  readonly #endpoints = new Map<string, readonly Endpoint[]>()
  readonly #subscribers = new Set<RegistrySubscriber>()
  readonly #places = new Map<string, Place>()
  #gateways: readonly NetworkGateway[] = []
  #sorted: readonly Service[] | undefined

  services(): readonly Service[] {
    this.#sorted ??= [...this.#services.values()].sort((one, other) => (one.hostname < other.hostname ? -1 : 1))
    return this.#sorted
  }

  getService(hostname: string): Service | undefined {
    return this.#services.get(hostname)
  }

  endpoints(hostname: string): readonly Endpoint[] {
    return this.#endpoints.get(hostname) ?? []
  }

  networkGateways(): readonly NetworkGateway[] {
    return this.#gateways
  }

  placeOf(pod: string): Place | undefined {
    return this.#places.get(pod)
  }

  subscribe(subscriber: RegistrySubscriber): Disposable {
    this.#subscribers.add(subscriber)
    return { [Symbol.dispose]: () => void this.#subscribers.delete(subscriber) }
  }

  put(service: Service): void {
    const change = this.#services.has(service.hostname) ? "updated" : "added"
    this.#services.set(service.hostname, service)
    this.#sorted = undefined
    for (const one of this.#subscribers) one.serviceUpdate(service.hostname, change)
  }

  /** Of the pod "namespace/name", whose address is not known here; undefined: it is gone. */
  putPlace(pod: string, place: Place | undefined): void {
    if (place === undefined) this.#places.delete(pod)
    else this.#places.set(pod, place)
    for (const one of this.#subscribers) one.workloadUpdate("", pod)
  }

  putGateways(gateways: readonly NetworkGateway[]): void {
    this.#gateways = gateways
    for (const one of this.#subscribers) one.configUpdate("the gateways between networks changed")
  }

  remove(hostname: string): void {
    this.#services.delete(hostname)
    this.#sorted = undefined
    for (const one of this.#subscribers) one.serviceUpdate(hostname, "deleted")
  }

  putEndpoints(hostname: string, endpoints: readonly Endpoint[]): void {
    const before = this.endpoints(hostname)
    this.#endpoints.set(hostname, endpoints)
    const removed = before.some((endpoint) => !endpoints.includes(endpoint))
    for (const one of this.#subscribers) one.endpointsUpdate("static", hostname, { removed, endpoints: () => endpoints })
  }
}
