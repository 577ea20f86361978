import type { Clock } from "@pilothouse/seams"
import type { Neutron } from "../../clients/neutron/neutron.ts"
import type { Port } from "../../clients/neutron/types.ts"

/** Questions that come within so many milliseconds share a call. */
const gatherFor = 20
/** After a call nothing is asked for so many times as long as it took, or so many milliseconds: a Neutron that is asked without pause makes no ports. */
const [restFor, maxRest] = [3, 400]
/** More ids would make too long an address. */
const maxIds = 50

/** What is asked for: whole ports cost Neutron several times as much. */
export type PortState = Pick<Port, "id" | "status">

/** Milliseconds until a port is looked at again that is not active yet: soon at first, then less often. */
const [soonest, latest] = [100, 30_000]
/** Milliseconds that a new port goes without a query at most, however slow the others were: the cloud may be fast again. */
const maxBlindWait = 1_000
/** How many ports are remembered: the one that was active soonest says when the next is worth a query. */
const remembered = 5
/** However many ports never become active, or go before they do. */
const maxKnown = 10_000

interface Since {
  readonly at: number
  readonly isNew: boolean
}

type PendingQuery = PromiseWithResolvers<PortState | undefined>

/**
 * Asks for the state of ports, many in one call, and one call at a time.
 * Invariant: while a query waits, a timer or a call is in progress.
 */
export class PortStatus {
  readonly #neutron: Pick<Neutron, "ports">
  readonly #clock: Clock
  #waiting = new Map<string, PendingQuery>()
  #isUnderWay = false
  /** Nothing is asked before. */
  #restsUntil = 0
  /** When a port that has not been seen active since was first queried. Least recently queried first. */
  readonly #since = new Map<string, Since>()
  /** How long the last new ones took. */
  readonly #took: number[] = []

  constructor(neutron: Pick<Neutron, "ports">, clock: Clock) {
    this.#neutron = neutron
    this.#clock = clock
  }

  /** Undefined: there is no such port. One that was made just now and is not likely to be active yet, going by others, is DOWN without a call. */
  async of(id: string, isNew: boolean): Promise<PortState | undefined> {
    this.#remember(id, this.#since.get(id) ?? { at: this.#clock.elapsed(), isNew })
    return this.#untilLikely(id) > 0 ? { id, status: "DOWN" } : this.#query(id)
  }

  /** Milliseconds until a port that is not active yet is worth another look. */
  nextPoll(id: string): number {
    return this.#untilLikely(id) || Math.min(latest, Math.max(soonest, this.#waited(id) / 10))
  }

  /** A port that is not queried any more makes room: its pod is deleted. */
  #remember(id: string, since: Since): void {
    this.#since.delete(id)
    this.#since.set(id, since)
    const [idle = id] = this.#since.keys()
    if (this.#since.size > maxKnown) this.#since.delete(idle)
  }

  #waited(id: string): number {
    const now = this.#clock.elapsed()
    return now - (this.#since.get(id)?.at ?? now)
  }

  #untilLikely(id: string): number {
    if (!this.#since.get(id)?.isNew) return 0
    const likely = this.#took.length === 0 ? 0 : 0.9 * Math.min(...this.#took)
    return Math.max(0, Math.ceil(Math.min(likely, maxBlindWait) - this.#waited(id)))
  }

  #query(id: string): Promise<PortState | undefined> {
    const known = this.#waiting.get(id)
    if (known !== undefined) return known.promise
    const query = Promise.withResolvers<PortState | undefined>()
    this.#waiting.set(id, query)
    this.#start()
    return query.promise
  }

  #start(): void {
    if (this.#isUnderWay || this.#waiting.size === 0) return
    this.#isUnderWay = true
    const rest = this.#restsUntil - this.#clock.elapsed()
    this.#clock.timer(Math.max(gatherFor, rest), "states of ports", () => void this.#sendQuery())
  }

  async #sendQuery(): Promise<void> {
    const some = [...this.#waiting].slice(0, maxIds)
    for (const [id] of some) this.#waiting.delete(id)
    const began = this.#clock.elapsed()
    await this.#queryPorts(some)
    const now = this.#clock.elapsed()
    this.#restsUntil = now + Math.min(maxRest, restFor * (now - began))
    this.#isUnderWay = false
    this.#start()
  }

  async #queryPorts(some: readonly (readonly [string, PendingQuery])[]): Promise<void> {
    try {
      const found = await this.#neutron.ports.list({ id: some.map(([id]) => id), fields: ["id", "status"] })
      for (const [id, query] of some) {
        const port = found.find((one) => one.id === id)
        if (port === undefined || port.status === "ACTIVE") this.#seen(id, port)
        query.resolve(port)
      }
    } catch (error) {
      for (const [, query] of some) query.reject(error)
    }
  }

  /** It needs no more looks. */
  #seen(id: string, port: PortState | undefined): void {
    if (port !== undefined && this.#since.get(id)?.isNew) this.#took.push(this.#waited(id))
    if (this.#took.length > remembered) this.#took.shift()
    this.#since.delete(id)
  }
}
