import { keyOf } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"
import { type Clock, type Log, type Metrics, noMetrics, silentLog } from "@pilothouse/seams"
import { Balancer } from "./balancer.ts"
import type { PodDialer } from "./dialer/pod-dialer.ts"
import { systemDialer } from "./dialer/system-dialer.ts"
import { isAddressMissing } from "./listener/bind.ts"
import { ListenerBudget, maxInAll } from "./listener/listener-budget.ts"
import { addressesFor, ipv6Address, mustMove, noAddress, openSomewhere, requestedAddresses, serviceFamilies } from "./loopback-address.ts"
import { loopbackCounters, type ServiceCounters } from "./targets/counters.ts"
import type { Target } from "./targets/targets.ts"

/** How the balancers of a process listen, dial and count. */
export interface LoopbackCloudOptions {
  readonly clock: Clock
  /** How pods are reached; over the network of this host by default. */
  readonly dialer?: PodDialer
  readonly metrics?: Metrics
  /** Those of `metrics`, where others count in them too; its own by default. */
  readonly counters?: ServiceCounters
  readonly log?: Log
  /** Milliseconds for connections to end when their balancer closes; 10 s by default. */
  readonly drain?: number
  /** Listeners of all balancers together; 1,024 by default. */
  readonly maxListeners?: number
  /** The addresses for a balancer of that name; spread over 127.128.0.0/9 by default. */
  readonly addresses?: (name: string) => Iterable<string>
}

/** An open balancer, and whether opening it changed anything. */
export interface Opened {
  readonly balancer: Balancer
  readonly changed: boolean
}

/** Endpoints of a Service by its ports: "TCP 80". */
export type TargetsByPort = ReadonlyMap<string, readonly Target[]>

/**
 * The load balancers of this process.
 * Invariant between calls: no two balancers have the same address, but for the only one of a system that has no other; every balancer has the
 * targets that were set last for its Service.
 */
export class LoopbackCloud implements AsyncDisposable {
  readonly #options: Required<Omit<LoopbackCloudOptions, "counters">>
  readonly #counters: ServiceCounters
  readonly #budget: ListenerBudget
  readonly #balancers = new Map<string, Balancer>()
  /** Addresses of balancers that are being opened: others are opened meanwhile. */
  readonly #opening = new Set<string>()
  /** By cluster and Service. */
  readonly #targets = new Map<string, TargetsByPort>()
  readonly #owners = new Map<string, string>()
  /** How often something was opened or closed. */
  writes = 0

  constructor(options: LoopbackCloudOptions) {
    const defaults = {
      dialer: systemDialer,
      metrics: noMetrics,
      log: silentLog,
      drain: 10_000,
      addresses: addressesFor,
      maxListeners: maxInAll,
    }
    this.#options = { ...defaults, ...options }
    this.#counters = options.counters ?? loopbackCounters(this.#options.metrics)
    this.#budget = new ListenerBudget(this.#options.maxListeners)
  }

  get names(): readonly string[] {
    return [...this.#balancers.keys()]
  }

  get(name: string): Balancer | undefined {
    return this.#balancers.get(name)
  }

  /** Whether some balancer may send a new connection to the address. False: a pod there may stop without effect on clients. */
  serves(address: string): boolean {
    return [...this.#balancers.values()].some((balancer) => balancer.serves(address))
  }

  /** Opens or updates the balancer. Sockets are outside of virtual time. */
  ensure(name: string, cluster: string, service: Service): Promise<Opened> {
    return this.#options.clock.external(this.#ensure(name, cluster, service), `open the load balancer ${name}`)
  }

  delete(name: string): Promise<void> {
    return this.#options.clock.external(this.#delete(name), `close the load balancer ${name}`)
  }

  targetsOf(cluster: string, service: string): TargetsByPort | undefined {
    return this.#targets.get(`${cluster} ${service}`)
  }

  /** Empty: the Service has no endpoints any more, or is gone. */
  setTargets(cluster: string, service: string, targets: TargetsByPort): void {
    const owner = `${cluster} ${service}`
    if (targets.size === 0) this.#targets.delete(owner)
    else this.#targets.set(owner, targets)
    for (const [name, owned] of this.#owners) if (owned === owner) this.#balancers.get(name)?.setTargets(targets)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.names.map((name) => this.delete(name)))
  }

  async #ensure(name: string, cluster: string, service: Service): Promise<Opened> {
    const known = this.#balancers.get(name)
    if (known !== undefined && mustMove(known.address, service, this.#isTaken)) {
      await this.#delete(name)
      return this.#ensure(name, cluster, service)
    }
    const changed = known === undefined || (await known.configure(service))
    const balancer = known ?? (await this.#make(name, service))
    this.#balancers.set(name, balancer)
    this.#opening.delete(balancer.address)
    const owner = `${cluster} ${keyOf(service)}`
    this.#owners.set(name, owner)
    balancer.setTargets(this.#targets.get(owner) ?? new Map())
    if (changed) this.writes++
    return { balancer, changed }
  }

  async #delete(name: string): Promise<void> {
    const balancer = this.#balancers.get(name)
    if (balancer === undefined) return
    this.#balancers.delete(name)
    this.#owners.delete(name)
    await balancer.close()
    this.writes++
  }

  /** At its IPv4 address, and at that of IPv6 where it requests both; at that alone where it requests IPv6 only. */
  async #make(name: string, service: Service): Promise<Balancer> {
    if (serviceFamilies(service).includes("IPv4"))
      return openSomewhere(this.#addressesFor(name, service), (address) => this.#open(address, service))
    const opened = await this.#open(ipv6Address, service)
    if (opened === undefined) throw noAddress(ipv6Address)
    return opened
  }

  /** The addresses that no other balancer has. */
  #addressesFor(name: string, service: Service): readonly string[] {
    return [...requestedAddresses(service), ...this.#options.addresses(name)].filter((address) => !this.#isTaken(address))
  }

  readonly #isTaken = (address: string): boolean =>
    this.#opening.has(address) || [...this.#balancers.values()].some((balancer) => balancer.address === address)

  async #open(address: string, service: Service): Promise<Balancer | undefined> {
    const balancer = new Balancer({ ...this.#options, address, service: keyOf(service), counters: this.#counters, budget: this.#budget })
    this.#opening.add(address)
    try {
      await balancer.configure(service)
      return balancer
    } catch (error) {
      this.#opening.delete(address)
      await balancer.close()
      if (isAddressMissing(error)) return undefined
      throw error
    }
  }
}
