import type { Clock } from "@pilothouse/seams"
import type { Source, Target } from "../generators/generator.ts"
import { clusterName, exportedPorts, isHttp, isSeenAsWidely } from "../generators/names.ts"
import type { Endpoint, Place } from "../model/endpoint.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { Service } from "../model/service.ts"
import type { Registry } from "../registry/registry.ts"
import { Aliases } from "./aliases.ts"

/** What a catalogue is filled from. */
export interface CatalogueOptions {
  readonly registry: Registry
  readonly clock: Clock
  /** Milliseconds for which a cluster stays after its service, or port, has gone or was hidden. */
  readonly grace: number
  /** A cluster's grace is over, or that of an alias. */
  readonly onLeft: (service: Service) => void
}

/**
 * The registry as generators read it, and what it said last of each service, so that a change touches what was there before as well.
 * Clusters never go and come back: a client of today stays deaf to one that does (grpc/grpc-node#3074).
 */
export class Catalogue implements Source {
  readonly aliases: Aliases
  readonly #options: CatalogueOptions
  readonly #known = new Map<string, Service>()
  readonly #hostsByHttpPort = new Map<number, Set<string>>()
  readonly #leaving = new Map<string, Target & { readonly timer: Disposable }>()
  #complete = false

  constructor(options: CatalogueOptions) {
    this.#options = options
    const { clock, grace, onLeft } = options
    this.aliases = new Aliases({ service: (hostname) => this.#known.get(hostname), clock, grace, onLeft })
  }

  /** Reads everything, once, as soon as the registry has it all. */
  get ready(): boolean {
    if (!this.#options.registry.synced) return false
    if (!this.#complete) for (const { hostname } of this.#options.registry.services()) this.refresh(hostname)
    this.#complete = true
    return true
  }

  /** Reads a host from the registry again; returns the service and its aliases as they were and as they are. */
  refresh(hostname: string): readonly Service[] {
    const before = this.#known.get(hostname)
    const after = this.#options.registry.getService(hostname)
    if (before === after) return after === undefined ? [] : [after]
    if (before !== undefined) this.#forget(before)
    if (after !== undefined) this.#remember(after)
    if (before !== undefined) this.#leaveBehind(before, after)
    const aliases = this.aliases.refresh(hostname, before, after)
    return [before, after, ...aliases].filter((one) => one !== undefined)
  }

  services(): readonly Service[] {
    return this.#options.registry.services()
  }

  getService(hostname: string): Service | undefined {
    return this.#options.registry.getService(hostname)
  }

  endpoints(hostname: string): readonly Endpoint[] {
    return this.#options.registry.endpoints(hostname)
  }

  placeOf(pod: string, cluster: string): Place | undefined {
    return this.#options.registry.placeOf(pod, cluster)
  }

  networkGateways(): readonly NetworkGateway[] {
    return this.#options.registry.networkGateways()
  }

  httpServices(port: number): readonly Service[] {
    const hosts = [...(this.#hostsByHttpPort.get(port) ?? [])].sort()
    return hosts.map((host) => this.getService(host)).filter((one) => one !== undefined)
  }

  leaving(name: string): Target | undefined {
    return this.#leaving.get(name)
  }

  leavingNames(): Iterable<string> {
    return this.#leaving.keys()
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#leaving.values()) timer[Symbol.dispose]()
    this.#leaving.clear()
    this.aliases[Symbol.dispose]()
  }

  #forget(before: Service): void {
    this.#known.delete(before.hostname)
    for (const { port } of exportedPorts(before)) {
      const hosts = this.#hostsByHttpPort.get(port)
      if (hosts?.delete(before.hostname) && hosts.size === 0) this.#hostsByHttpPort.delete(port)
    }
  }

  #remember(after: Service): void {
    this.#known.set(after.hostname, after)
    for (const port of exportedPorts(after)) {
      this.#stay(clusterName(port.port, after.hostname), after)
      if (!isHttp(port)) continue
      const hosts = this.#hostsByHttpPort.get(port.port) ?? new Set()
      this.#hostsByHttpPort.set(port.port, hosts.add(after.hostname))
    }
  }

  /** What was there goes on, for a while, for those who cannot see it any more. */
  #leaveBehind(before: Service, after: Service | undefined): void {
    const ports = after !== undefined && isSeenAsWidely(after, before) ? exportedPorts(after) : []
    const kept = new Set(ports.map(({ port }) => port))
    for (const port of exportedPorts(before))
      if (!kept.has(port.port)) this.#leave(clusterName(port.port, before.hostname), { service: before, port })
  }

  /** It is back; where fewer can see it than before, the others still have what is left of its grace. */
  #stay(name: string, after: Service): void {
    const leaving = this.#leaving.get(name)
    if (leaving === undefined || !isSeenAsWidely(after, leaving.service)) return
    leaving.timer[Symbol.dispose]()
    this.#leaving.delete(name)
  }

  #leave(name: string, target: Target): void {
    const { clock, grace, onLeft } = this.#options
    const before = this.#leaving.get(name)
    before?.timer[Symbol.dispose]()
    const { service, port } = before !== undefined && isSeenAsWidely(before.service, target.service) ? before : target
    const timer = clock.timer(grace, `grace of ${name}`, () => {
      this.#leaving.delete(name)
      onLeft(service)
      for (const alias of this.aliases.of(service.hostname)) onLeft(alias)
    })
    this.#leaving.set(name, { service, port, timer })
  }
}
