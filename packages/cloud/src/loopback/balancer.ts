import type { LoadBalancerIngress, Service, ServicePort } from "@pilothouse/api/core/v1"
import type { Clock, Log } from "@pilothouse/seams"
import { type AddressRange, contains, parseRange } from "../cidr.ts"
import { CloudError } from "../cloud-errors.ts"
import type { Counters } from "./counters.ts"
import { onlyAddress } from "./loopback-address.ts"
import { ingressOf, type MappedPort, mappedBefore } from "./mapped-port.ts"
import { type OpenPort, openPort } from "./open-port.ts"
import type { PodDialer } from "./pod-dialer.ts"
import { type Affinity, type Target, Targets } from "./targets.ts"

export interface BalancerOptions {
  readonly address: string
  /** "default/web" */
  readonly service: string
  readonly dialer: PodDialer
  readonly counters: Counters
  readonly clock: Clock
  readonly log: Log
  /** Milliseconds that connections have to end in when their port or their balancer goes. */
  readonly drain: number
}

/**
 * The balancer of one Service.
 * Always true between calls: every open port has the newest targets that were set for it.
 */
export class Balancer {
  readonly #options: BalancerOptions
  readonly #ports = new Map<string, OpenPort>()
  #ranges: readonly AddressRange[] = []
  /** What it was last configured with, as text; undefined while that is under way or has failed. */
  #configured: string | undefined
  #targets: ReadonlyMap<string, readonly Target[]> = new Map()

  constructor(options: BalancerOptions) {
    this.#options = options
  }

  get address(): string {
    return this.#options.address
  }

  /** Opens, closes and keeps ports as the Service says. True when something had to be done. Throws what the system says of an address that it does not have. */
  async configure(service: Service): Promise<boolean> {
    const { spec = {} } = service
    const wish = factsOf(spec)
    if (this.#configured === wish) return false
    this.#configured = undefined
    this.#ranges = (spec.loadBalancerSourceRanges ?? []).flatMap((text) => parseRange(text) ?? [])
    const affinity = affinityOf(spec)
    const wanted = new Map((spec.ports ?? []).map((port) => [nameOf(protocolOf(port), port.port), port]))
    for (const name of this.#ports.keys()) if (!wanted.has(name)) await this.#close(name)
    for (const [name, port] of wanted) {
      const open = this.#ports.get(name) ?? (await this.#open(name, port, service))
      open.targets.stick(affinity)
    }
    this.#configured = wish
    return true
  }

  /** By "TCP 80". */
  setTargets(targets: ReadonlyMap<string, readonly Target[]>): void {
    this.#targets = targets
    for (const [name, open] of this.#ports) {
      open.targets.set(targets.get(name) ?? [])
      open.changed()
    }
  }

  /** Whether a new connection may go to the address. */
  serves(address: string): boolean {
    return [...this.#ports.values()].some(({ targets }) => targets.all.some((target) => target.address === address))
  }

  ingress(): LoadBalancerIngress {
    return ingressOf(this.address, [...this.#ports.values()])
  }

  /** The ports that are not the ones that were asked for. */
  mappings(): readonly MappedPort[] {
    return [...this.#ports.values()].filter(({ port, bound }) => port !== bound)
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#ports.keys(), (name) => this.#close(name)))
  }

  async #close(name: string): Promise<void> {
    const open = this.#ports.get(name)
    this.#ports.delete(name)
    await open?.close()
  }

  async #open(name: string, wanted: ServicePort, service: Service): Promise<OpenPort> {
    const targets = new Targets(this.#options.clock)
    targets.set(this.#targets.get(name) ?? [])
    const protocol = protocolOf(wanted)
    // Where all share one address, each keeps the port that it had: the first to start would take it otherwise.
    const before = this.address === onlyAddress ? mappedBefore(service, protocol, wanted.port) : undefined
    const open = await openPort(protocol, wanted.port, { ...this.#options, targets, admits: this.#admits, before })
    this.#ports.set(name, open)
    return open
  }

  readonly #admits = (client: string): boolean => this.#ranges.length === 0 || this.#ranges.some((range) => contains(range, client))
}

export function nameOf(protocol: string, port: number): string {
  return `${protocol} ${port}`
}

function protocolOf({ protocol = "TCP" }: ServicePort): "TCP" | "UDP" {
  if (protocol === "TCP" || protocol === "UDP") return protocol
  throw new CloudError(`expected TCP or UDP, found ${protocol}: the loopback balancer forwards nothing else`, { retryable: false })
}

type Spec = NonNullable<Service["spec"]>

/** All of a Service that a balancer here is made from. */
function factsOf({ ports, loadBalancerSourceRanges, sessionAffinity, sessionAffinityConfig }: Spec): string {
  return JSON.stringify([ports, loadBalancerSourceRanges, sessionAffinity, sessionAffinityConfig])
}

/** Three hours, unless the Service says otherwise: so the API's own default. */
function affinityOf({ sessionAffinity, sessionAffinityConfig }: Spec): Affinity | undefined {
  if (sessionAffinity !== "ClientIP") return undefined
  return { timeout: (sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10_800) * 1000 }
}
