import { deepEqual } from "@pilothouse/api"
import { type Clock, type Log, type Metrics, noMetrics, silentLog } from "@pilothouse/seams"
import { CloudError } from "../provider/cloud-errors.ts"
import type { PodDialer } from "./dialer/pod-dialer.ts"
import { systemDialer } from "./dialer/system-dialer.ts"
import { openHealthPort } from "./listener/health-port.ts"
import { ListenerBudget } from "./listener/listener-budget.ts"
import { type OpenPort, openPort } from "./listener/open-port.ts"
import { loopbackCounters, type ServiceCounters } from "./targets/counters.ts"
import { type Affinity, type Target, Targets } from "./targets/targets.ts"

/** One port of one node, and its targets. */
export interface NodePort {
  readonly address: string
  readonly protocol: "TCP" | "UDP"
  readonly port: number
  /** A health check port: it reports whether there are targets, and forwards to none. */
  readonly isHealthCheck?: boolean
  readonly affinity?: Affinity
  readonly targets: readonly Target[]
}

/** How node ports listen, dial and count. */
export interface NodePortsOptions {
  readonly clock: Clock
  readonly dialer?: PodDialer
  readonly metrics?: Metrics
  /** Those of `metrics`, where others count in them too; its own by default. */
  readonly counters?: ServiceCounters
  readonly log?: Log
  /** Milliseconds for connections to end when their port closes; 10 s by default. */
  readonly drain?: number
}

/**
 * The ports that kube-proxy would open on nodes whose addresses belong to this host.
 * Invariant between calls: of each Service exactly those ports are open that were set last, except those for which set() threw.
 */
export class NodePorts implements AsyncDisposable {
  readonly #options: Required<Omit<NodePortsOptions, "counters">>
  readonly #counters: ServiceCounters
  readonly #budget = new ListenerBudget()
  readonly #open = new Map<string, Map<string, OpenPort>>()
  readonly #set = new Map<string, readonly NodePort[]>()

  constructor(options: NodePortsOptions) {
    this.#options = { dialer: systemDialer, metrics: noMetrics, log: silentLog, drain: 10_000, ...options }
    this.#counters = options.counters ?? loopbackCounters(this.#options.metrics)
  }

  /** Returns the ports that were set last and are open. */
  of(service: string): readonly NodePort[] {
    return this.#set.get(service) ?? []
  }

  /** Replaces the ports of the Service. Throws where a port cannot be bound; the others are open nevertheless. Sockets are outside of virtual time. */
  set(service: string, ports: readonly NodePort[]): Promise<void> {
    return this.#options.clock.external(this.#change(service, ports), `node ports of ${service}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#open.keys(), (service) => this.set(service, [])))
  }

  async #change(service: string, ports: readonly NodePort[]): Promise<void> {
    const open = this.#open.get(service) ?? new Map<string, OpenPort>()
    this.#open.set(service, open)
    const desired = new Map(ports.map((port) => [nodePortName(port), port]))
    for (const [name, port] of open) {
      if (desired.has(name)) continue
      open.delete(name)
      this.#budget.release()
      await port.close()
    }
    const failures: unknown[] = []
    const bound: NodePort[] = []
    for (const [name, port] of desired) {
      try {
        const opened = open.get(name) ?? (await this.#listenWithin(open.size, service, port))
        open.set(name, opened)
        opened.targets.stick(port.affinity)
        opened.targets.set(port.targets)
        opened.changed()
        bound.push(port)
      } catch (error) {
        failures.push(error)
      }
    }
    if (bound.length === 0) this.#set.delete(service)
    else if (!deepEqual(bound, this.#set.get(service))) this.#set.set(service, bound)
    if (open.size === 0) this.#open.delete(service)
    if (failures.length > 0) throw failures[0]
  }

  async #listenWithin(held: number, service: string, port: NodePort): Promise<OpenPort> {
    const limit = this.#budget.take(held)
    if (limit !== undefined) {
      const message = `expected at most ${this.#budget.describe(limit)} on nodes of this host, found more: port ${port.port} has none`
      throw new CloudError(`${message}; remove ports or Services`, { retryable: false })
    }
    try {
      return await this.#listen(service, port)
    } catch (error) {
      this.#budget.release()
      throw error
    }
  }

  #listen(service: string, { address, protocol, port, isHealthCheck }: NodePort): Promise<OpenPort> {
    const { clock } = this.#options
    const targets = new Targets(clock)
    if (isHealthCheck) return openHealthPort(port, { address, service, targets, clock })
    const options = { ...this.#options, address, service, targets, counters: this.#counters, admits: () => true, exact: true }
    return openPort(protocol, port, options)
  }
}

function nodePortName({ address, protocol, port }: NodePort): string {
  return `${address} ${protocol} ${port}`
}
