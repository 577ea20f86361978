import type { Clock } from "@pilothouse/seams"
import type { DatagramFlow, PodDialer } from "../dialer/pod-dialer.ts"
import type { Counters } from "../targets/counters.ts"
import type { Target, Targets } from "../targets/targets.ts"

/** Milliseconds for which an endpoint that gets no more datagrams may still answer those that it has. */
const lastAnswers = 5000

/** Where one UDP port forwards to, and which clients it admits. */
export interface UdpPortOptions {
  readonly service: string
  readonly dialer: PodDialer
  readonly targets: Targets
  readonly counters: Counters
  readonly clock: Clock
  readonly admits: (client: string) => boolean
  /** Sends an answer to a client. */
  readonly answer: (message: Uint8Array, client: Client) => void
}

/** The sender of a datagram. */
export interface Client {
  readonly address: string
  readonly port: number
}

interface Flow {
  readonly target: Target
  readonly to: DatagramFlow
  timer: Disposable
  last: number
}

/** Milliseconds without a datagram after which a flow is over. */
const idle = 60_000
/** Flows of one port: each has a socket of this process, and a sender may forge any address. */
const maxFlows = 1000

/**
 * Flows of one UDP port: a client, by address and port, stays with one endpoint.
 * Invariant between calls: every flow of #flows leads to an endpoint that is ready, and has one timer; the one that is idle for longest stands first in
 * #flows, which has at most `maxFlows`.
 */
export class UdpPort {
  readonly #options: UdpPortOptions
  readonly #flows = new Map<string, Flow>()
  readonly #draining: DrainingFlows

  constructor(options: UdpPortOptions) {
    this.#options = options
    this.#draining = new DrainingFlows(options.clock, maxFlows)
  }

  receive(message: Uint8Array, client: Client): void {
    const { service, admits, counters } = this.#options
    if (!admits(client.address)) return counters.refused.add(1, { service })
    const name = clientName(client)
    const flow = this.#flows.get(name) ?? this.#begin(name, client)
    if (flow === undefined) return
    this.#isUsed(name, flow)
    flow.to.send(message)
    counters.datagrams.add(1, { service, direction: "in" })
  }

  /** The next datagram of a client whose endpoint is no longer ready goes to another one; what was asked before is still answered. */
  targetsChanged(): void {
    for (const [name, flow] of this.#flows) if (!this.#options.targets.has(flow.target)) this.#drain(name, flow)
  }

  cut(): void {
    for (const [name, flow] of this.#flows) this.#end(name, flow)
    this.#draining.cut()
  }

  #begin(name: string, client: Client): Flow | undefined {
    const { dialer, targets, counters, clock, service, answer } = this.#options
    const target = targets.choose(client.address).next().value
    if (target === undefined) return undefined
    targets.connected(client.address, target)
    this.#makeRoom()
    const flow: Flow = {
      target,
      last: clock.elapsed(),
      timer: this.#expiry(name, idle),
      to: dialer.open(target.address, target.port, {
        receive: (message) => {
          this.#isUsed(name, flow)
          counters.datagrams.add(1, { service, direction: "out" })
          answer(message, client)
        },
        refused: () => this.#refused(name, flow),
      }),
    }
    this.#flows.set(name, flow)
    counters.flows.add(1, { service })
    return flow
  }

  #makeRoom(): void {
    const { counters, service } = this.#options
    const [first] = this.#flows
    if (first === undefined || this.#flows.size < maxFlows) return
    this.#end(...first)
    counters.dropped.add(1, { service })
  }

  #isUsed(name: string, flow: Flow): void {
    if (this.#flows.get(name) !== flow) return
    flow.last = this.#options.clock.elapsed()
    this.#flows.delete(name)
    this.#flows.set(name, flow)
  }

  /** Nothing listens there. That datagram is lost, as datagrams are; the next one goes to another endpoint. */
  #refused(name: string, flow: Flow): void {
    if (this.#flows.get(name) !== flow) return
    const { targets, counters, service } = this.#options
    targets.refused(flow.target)
    counters.failed.add(1, { service })
    this.#end(name, flow)
  }

  #expiry(name: string, after: number): Disposable {
    const { clock } = this.#options
    return clock.timer(after, "an idle UDP flow", () => {
      const flow = this.#flows.get(name)
      if (flow === undefined) return
      const left = flow.last + idle - clock.elapsed()
      if (left <= 0) this.#end(name, flow)
      else flow.timer = this.#expiry(name, left)
    })
  }

  #drain(name: string, flow: Flow): void {
    this.#forget(name, flow)
    this.#draining.add(flow.to)
  }

  #end(name: string, flow: Flow): void {
    this.#forget(name, flow)
    flow.to.close()
  }

  #forget(name: string, flow: Flow): void {
    const { counters, service } = this.#options
    if (this.#flows.delete(name)) counters.flows.add(-1, { service })
    flow.timer[Symbol.dispose]()
  }
}

function clientName({ address, port }: Client): string {
  return `${address} ${port}`
}

/**
 * Flows whose endpoint gets no more datagrams: they forward answers for a while, and close.
 * Invariant between calls: each has one timer; the oldest stands first, and there are at most `max`.
 */
class DrainingFlows {
  readonly #clock: Clock
  readonly #max: number
  readonly #timers = new Map<DatagramFlow, Disposable>()

  constructor(clock: Clock, max: number) {
    this.#clock = clock
    this.#max = max
  }

  /** Closes the oldest flow where there are too many. */
  add(flow: DatagramFlow): void {
    const [oldest] = this.#timers.keys()
    if (oldest !== undefined && this.#timers.size >= this.#max) this.#close(oldest)
    this.#timers.set(
      flow,
      this.#clock.timer(lastAnswers, "last answers of a UDP flow", () => this.#close(flow)),
    )
  }

  cut(): void {
    for (const flow of this.#timers.keys()) this.#close(flow)
  }

  #close(flow: DatagramFlow): void {
    this.#timers.get(flow)?.[Symbol.dispose]()
    this.#timers.delete(flow)
    flow.close()
  }
}
