import type { LoadBalancerIngress, Service } from "@pilothouse/api/core/v1"
import { type Cidr, cidrContains } from "@pilothouse/api/net"
import type { Clock, Log } from "@pilothouse/seams"
import type { PodDialer } from "./dialer/pod-dialer.ts"
import { isAddressMissing } from "./listener/bind.ts"
import type { ListenerBudget } from "./listener/listener-budget.ts"
import { ingressOf, type MappedPort, mappedBefore } from "./listener/mapped-port.ts"
import { type OpenPort, openPort } from "./listener/open-port.ts"
import {
  clientAffinity,
  type ListenerSpec,
  listenerName,
  listenerSpecs,
  parseSourceRanges,
  portName,
  specFingerprint,
} from "./listener-spec.ts"
import { isShared } from "./loopback-address.ts"
import type { ServiceCounters } from "./targets/counters.ts"
import { type Target, Targets } from "./targets/targets.ts"

/** What the balancer of one Service listens with and forwards by. */
export interface BalancerOptions {
  readonly address: string
  /** "default/web" */
  readonly service: string
  readonly dialer: PodDialer
  readonly counters: ServiceCounters
  readonly clock: Clock
  readonly log: Log
  /** Shared by all balancers. */
  readonly budget: ListenerBudget
  /** Milliseconds for connections to end when their port or their balancer closes. */
  readonly drain: number
}

/** Requested ports without a listener, because of a limit. */
export interface LeftOut {
  readonly count: number
  /** The limit, for messages. */
  readonly limit: string
}

/**
 * The balancer of one Service.
 * Invariant between calls: every open port has the newest targets that were set for it.
 */
export class Balancer {
  readonly #options: BalancerOptions
  /** By "127.1.2.3 TCP 80". */
  readonly #ports = new Map<string, OpenPort>()
  #ranges: readonly Cidr[] = []
  /** What it was last configured with, as text; undefined while that is under way or has failed. */
  #configured: string | undefined
  #targets: ReadonlyMap<string, readonly Target[]> = new Map()
  #leftOut: LeftOut | undefined
  /** Its ports may close and others open: what was counted stays until the balancer itself is closed. */
  readonly #counted: Disposable

  constructor(options: BalancerOptions) {
    this.#options = options
    this.#counted = options.counters.hold(options.service)
  }

  get address(): string {
    return this.#options.address
  }

  /** Opens, closes and keeps ports as the Service requests. Returns whether something changed. Throws the system's error for an address that it lacks. */
  async configure(service: Service): Promise<boolean> {
    const { spec = {} } = service
    const desired = specFingerprint(service)
    if (this.#configured === desired) return false
    this.#configured = undefined
    this.#ranges = parseSourceRanges(service)
    const affinity = clientAffinity(spec)
    const desiredPorts = new Map(listenerSpecs(this.address, service).map((port) => [listenerName(port), port]))
    for (const place of this.#ports.keys()) if (!desiredPorts.has(place)) await this.#close(place)
    let [count, met] = [0, undefined as "Service" | "all" | undefined]
    for (const [place, port] of desiredPorts) {
      const known = this.#ports.get(place)
      const limit = known === undefined ? this.#options.budget.take(this.#ports.size) : undefined
      if (limit !== undefined) {
        ;[count, met] = [count + 1, limit]
        continue
      }
      const open = known ?? (await this.#open(port, service))
      open?.targets.stick(affinity)
    }
    this.#leftOut = met === undefined ? undefined : { count, limit: this.#options.budget.describe(met) }
    // Other Services may release listeners: the next call retries.
    this.#configured = met === "all" ? undefined : desired
    return true
  }

  /** By "TCP 80". */
  setTargets(targets: ReadonlyMap<string, readonly Target[]>): void {
    this.#targets = targets
    for (const open of this.#ports.values()) {
      open.targets.set(targets.get(portName(open.protocol, open.port)) ?? [])
      open.changed()
    }
  }

  /** Whether a new connection may be forwarded to the address. */
  serves(address: string): boolean {
    return [...this.#ports.values()].some(({ targets }) => targets.all.some((target) => target.address === address))
  }

  ingress(): readonly LoadBalancerIngress[] {
    const ports = [...this.#ports.values()]
    const addresses = new Set([this.address, ...ports.map(({ address }) => address)])
    return Array.from(addresses, (ip) =>
      ingressOf(
        ip,
        ports.filter(({ address }) => address === ip),
      ),
    )
  }

  /** Undefined: every requested port has its listener. */
  get leftOut(): LeftOut | undefined {
    return this.#leftOut
  }

  /** The ports that are bound to another number than requested. */
  mappings(): readonly MappedPort[] {
    return [...this.#ports.values()].filter(({ port, bound }) => port !== bound)
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#ports.keys(), (name) => this.#close(name)))
    this.#counted[Symbol.dispose]()
  }

  async #close(name: string): Promise<void> {
    const open = this.#ports.get(name)
    if (this.#ports.delete(name)) this.#options.budget.release()
    await open?.close()
  }

  /** One listener of the budget is taken for it. Undefined: the system lacks the second address. */
  async #open(spec: ListenerSpec, service: Service): Promise<OpenPort | undefined> {
    const { address, protocol, port } = spec
    const targets = new Targets(this.#options.clock)
    targets.set(this.#targets.get(portName(protocol, port)) ?? [])
    // Where all share one address, each keeps the port that it had: the first to start would take it otherwise.
    const before = isShared(address) ? mappedBefore(service, spec) : undefined
    try {
      const open = await openPort(protocol, port, { ...this.#options, address, targets, admits: this.#admits, before })
      this.#ports.set(listenerName(spec), open)
      return open
    } catch (error) {
      this.#options.budget.release()
      if (address === this.address || !isAddressMissing(error)) throw error
      this.#options.log.warn("this system has no IPv6: the load balancer has its IPv4 address only", { service: this.#options.service })
      return undefined
    }
  }

  readonly #admits = (client: string): boolean => this.#ranges.length === 0 || this.#ranges.some((range) => cidrContains(range, client))
}
