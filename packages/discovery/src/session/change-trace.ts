import type { Clock } from "@pilothouse/seams"

/** One change on its way from the source's event to the last client's ACK. Times are milliseconds of the clock's `elapsed`. */
export interface ChangeTrace {
  readonly id: number
  readonly hostname: string
  readonly what: "endpoints" | "service" | "configuration"
  /** Of the source's event. */
  readonly at: number
  readonly streams: number
  readonly acked: number
  readonly lastSent?: number
  readonly lastAcked?: number
}

const kept = 256

/** The newest changes, and how far each has come. */
export class ChangeTraces {
  readonly #clock: Clock
  readonly #traces: Tracked[] = []
  #next = 1

  constructor(clock: Clock) {
    this.#clock = clock
  }

  begin(what: ChangeTrace["what"], hostname: string): Tracked {
    const trace = new Tracked(this.#next++, hostname, what, this.#clock)
    this.#traces.push(trace)
    if (this.#traces.length > kept) this.#traces.shift()
    return trace
  }

  /** Newest first. */
  list(): readonly ChangeTrace[] {
    return this.#traces.map((trace) => trace.facts()).reverse()
  }
}

/** A change on its way to clients, for the metrics of its delay. */
export class Tracked {
  /** Just this one: what nearly every response is sent for, so the list is made once. */
  readonly alone: readonly [Tracked]
  readonly #clock: Clock
  readonly #facts: { -readonly [Key in keyof ChangeTrace]: ChangeTrace[Key] }

  constructor(id: number, hostname: string, what: ChangeTrace["what"], clock: Clock) {
    this.alone = [this]
    this.#clock = clock
    this.#facts = { id, hostname, what, at: clock.elapsed(), streams: 0, acked: 0 }
  }

  sent(): void {
    this.#facts.streams++
    this.#facts.lastSent = this.#clock.elapsed()
  }

  /** Milliseconds from the event to this ACK. */
  acked(): number {
    this.#facts.acked++
    this.#facts.lastAcked = this.#clock.elapsed()
    return this.#facts.lastAcked - this.#facts.at
  }

  facts(): ChangeTrace {
    return { ...this.#facts }
  }
}
