import type { Duplex } from "node:stream"
import { abortWith, type Clock, type Log, messageOf } from "@pilothouse/seams"
import type { PodDialer } from "../dialer/pod-dialer.ts"
import type { Counters } from "../targets/counters.ts"
import { connectTimeout, HealthChecks } from "../targets/health-checks.ts"
import type { Target, Targets } from "../targets/targets.ts"

/** The part of a socket that a TCP port uses. */
export interface TcpClient extends Duplex {
  readonly remoteAddress?: string
  readonly bytesRead: number
  readonly bytesWritten: number
  resetAndDestroy(): unknown
}

/** Where one TCP port forwards to, and which clients it admits. */
export interface TcpPortOptions {
  readonly service: string
  readonly dialer: PodDialer
  readonly targets: Targets
  readonly counters: Counters
  readonly clock: Clock
  readonly log: Log
  /** Whether the source ranges admit the client. */
  readonly admits: (client: string) => boolean
}

/**
 * Connections of one TCP port.
 * Invariant between calls: `#open` has every client that was admitted and has not ended.
 */
export class TcpPort {
  readonly #options: TcpPortOptions
  readonly #open = new Set<TcpClient>()
  readonly #stopped = new AbortController()
  readonly #health: HealthChecks
  #drained: (() => void) | undefined

  constructor(options: TcpPortOptions) {
    this.#options = options
    this.#health = new HealthChecks(options)
  }

  get connections(): number {
    return this.#open.size
  }

  accept(client: TcpClient): void {
    const { service, admits, counters } = this.#options
    const from = client.remoteAddress ?? ""
    client.on("error", () => client.destroy())
    if (!admits(from)) {
      counters.refused.add(1, { service })
      client.resetAndDestroy()
      return
    }
    this.#open.add(client)
    counters.open.add(1, { service })
    void this.#connect(client, from)
  }

  /** Stops the health checks; open connections may end. Calls back once all have ended, with nothing left to count. */
  drain(drained: () => void = () => {}): void {
    this.#health.stop()
    this.#drained = drained
    this.#endIfDrained()
  }

  /** Closes every open connection. */
  cut(): void {
    this.#stopped.abort()
    for (const client of this.#open) client.destroy()
  }

  async #connect(client: TcpClient, from: string): Promise<void> {
    const { targets } = this.#options
    // Nothing has been sent to an endpoint so far: the next one serves as well.
    for (const target of targets.choose(from)) {
      const endpoint = await this.#dial(target)
      if (client.destroyed) {
        endpoint?.destroy()
        break
      }
      if (endpoint === undefined) continue
      targets.connected(from, target)
      this.#options.counters.connections.add(1, { service: this.#options.service })
      return splice(client, endpoint, () => this.#ended(client))
    }
    client.resetAndDestroy()
    this.#ended(client)
  }

  async #dial(target: Target): Promise<Awaited<ReturnType<PodDialer["dial"]>> | undefined> {
    const { dialer, clock, counters, service, log } = this.#options
    const limit = new AbortController()
    using _stopped = abortWith(limit, this.#stopped.signal)
    using _limit = clock.timer(connectTimeout, "an endpoint takes too long to connect", () => limit.abort())
    try {
      return await dialer.dial(target.address, target.port, limit.signal)
    } catch (error) {
      this.#health.failed(target)
      counters.failed.add(1, { service })
      log.debug("an endpoint refused a connection, trying the next", { service, ...target, error: messageOf(error) })
      return undefined
    }
  }

  #ended(client: TcpClient): void {
    const { service, counters } = this.#options
    if (this.#open.delete(client)) counters.open.add(-1, { service })
    counters.bytes.add(client.bytesRead, { service, direction: "in" })
    counters.bytes.add(client.bytesWritten, { service, direction: "out" })
    this.#endIfDrained()
  }

  #endIfDrained(): void {
    if (this.#open.size > 0) return
    this.#drained?.()
    this.#drained = undefined
  }
}

/** Forwards bytes both ways until both sides have ended; an error of one closes the other. `ended` is called once. */
function splice(client: Duplex, endpoint: Duplex, ended: () => void): void {
  let open = 2
  const follow = (from: Duplex, to: Duplex) => {
    from.pipe(to)
    from.on("error", () => to.destroy())
    from.once("close", () => {
      // What has come before the end still goes out; answers can no longer be sent.
      if (from.readableEnded && !to.writableFinished && !to.destroyed) to.once("finish", () => to.destroy())
      else to.destroy()
      if (--open === 0) ended()
    })
  }
  follow(client, endpoint)
  follow(endpoint, client)
}
