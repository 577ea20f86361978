import type { Clock } from "@pilothouse/seams"

/** One endpoint's port. */
export interface Target {
  readonly address: string
  readonly port: number
}

/** Session affinity by client address. */
export interface Affinity {
  /** Milliseconds for which a client stays with its endpoint after its last connection. */
  readonly timeout: number
}

/** Milliseconds for which an endpoint that refused something is tried only after the others; the default. */
const penalty = 5000

/** A client that has not come for longer than its affinity lasts is forgotten when there are more than so many. */
const maxClients = 10_000

/**
 * The ready endpoints of one port, in round robin with client affinity.
 * Invariant between calls: every client that is remembered stays with an endpoint that is ready; at most `maxClients` are kept.
 */
export class Targets {
  readonly #clock: Clock
  #targets: readonly Target[] = []
  #next = 0
  #affinity: Affinity | undefined
  readonly #clients = new Map<string, { readonly target: Target; since: number }>()
  /** Until when they come last. */
  readonly #failed = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get all(): readonly Target[] {
    return this.#targets
  }

  set(targets: readonly Target[]): void {
    this.#targets = targets
    const ready = new Set(targets.map(targetName))
    for (const [client, { target }] of this.#clients) if (!ready.has(targetName(target))) this.#clients.delete(client)
    for (const name of this.#failed.keys()) if (!ready.has(name)) this.#failed.delete(name)
  }

  stick(affinity: Affinity | undefined): void {
    this.#affinity = affinity
    if (affinity === undefined) this.#clients.clear()
  }

  has(target: Target): boolean {
    return this.#targets.some((other) => targetName(other) === targetName(target))
  }

  /** Endpoints for a new connection, the one to try first in front; those that refused one just now come last. */
  *choose(client: string): Generator<Target, void> {
    const stuck = this.#stuckTo(client)
    if (stuck !== undefined) yield stuck
    const targets = this.#targets
    const start = this.#next++
    const late: Target[] = []
    for (let step = 0; step < targets.length; step++) {
      const target = targets[(start + step) % targets.length]!
      if (target === stuck || !this.#isStillOneOf(targets, target)) continue
      if (this.#hasFailed(target)) late.push(target)
      else yield target
    }
    for (const target of late) if (this.#isStillOneOf(targets, target)) yield target
    if (targets !== this.#targets) yield* this.#cameSince(targets)
  }

  connected(client: string, target: Target): void {
    if (this.#failed.size > 0) this.#failed.delete(targetName(target))
    if (this.#affinity === undefined) return
    // Taken out first: the map keeps the order of coming, and the oldest is forgotten first.
    this.#clients.delete(client)
    this.#clients.set(client, { target, since: this.#clock.elapsed() })
    if (this.#clients.size > maxClients) this.#clients.delete(this.#clients.keys().next().value ?? "")
  }

  /** Moves the endpoint behind the others for so many milliseconds. */
  refused(target: Target, milliseconds = penalty): void {
    // Nothing is kept about an endpoint that has left: the next pod with its address has refused nothing.
    if (this.has(target)) this.#failed.set(targetName(target), this.#clock.elapsed() + milliseconds)
  }

  recovered(target: Target): void {
    this.#failed.delete(targetName(target))
  }

  #stuckTo(client: string): Target | undefined {
    if (this.#affinity === undefined) return undefined
    const known = this.#clients.get(client)
    if (known === undefined || this.#clock.elapsed() - known.since >= this.#affinity.timeout) return undefined
    const target = this.#targets.find((one) => targetName(one) === targetName(known.target))
    return target === undefined || this.#hasFailed(target) ? undefined : target
  }

  /** The caller awaits an answer between two of them: an endpoint may have left since. */
  #isStillOneOf(chosenFrom: readonly Target[], target: Target): boolean {
    return chosenFrom === this.#targets || this.has(target)
  }

  #cameSince(before: readonly Target[]): readonly Target[] {
    const known = new Set(before.map(targetName))
    return this.#targets.filter((target) => !known.has(targetName(target)))
  }

  #hasFailed(target: Target): boolean {
    if (this.#failed.size === 0) return false
    const until = this.#failed.get(targetName(target))
    return until !== undefined && this.#clock.elapsed() < until
  }
}

/** "127.60.0.7 8080" */
export function targetName({ address, port }: Target): string {
  return `${address} ${port}`
}
