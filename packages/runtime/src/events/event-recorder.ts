import { hasCause, isAlreadyExists, isNotFound, statusErrorIn } from "@pilothouse/api"
import { events as eventResource } from "@pilothouse/api/core/v1"
import { abortable, type Clock, type Log, type Metrics, messageOf, noMetrics, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan.ts"
import { type CorrelatorOptions, type Counted, EventCorrelator } from "./correlator.ts"
import { eventName, eventOf, repetition } from "./event.ts"

export interface EventRecorderOptions extends CorrelatorOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
}

/** Events that may wait to be written; what comes on top is dropped, so that a slow server never holds a loop up. */
const queueLimit = 1000
const tries = 12
const retryAfter = 10_000
const closeLimit = 1000

/**
 * Tells people about objects. record() never waits and never throws.
 * Always true between calls: at most one event is being written, and one is while any wait; the others wait in the order they were said, at most 1000 of them.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #correlator: EventCorrelator
  readonly #waiting: Counted[] = []
  /** Ends the waits between tries. */
  readonly #closing = new AbortController()
  /** Ends the call in hand. */
  readonly #cut = new AbortController()
  readonly #dropped
  #writing: Promise<void> | undefined

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#correlator = new EventCorrelator(options)
    const help = "Events that were not written: too many waited, or too much was said of one object"
    this.#dropped = (options.metrics ?? noMetrics).counter({ name: "pilothouse_events_dropped_total", help })
  }

  record(component: string, planned: PlannedEvent): void {
    if (this.#closing.signal.aborted) return
    if (this.#waiting.length >= queueLimit) return this.#dropped.add(1, { because: "queue" })
    const { clock, random } = this.#options
    const said = { ...planned, component }
    const now = clock.now()
    const counted = this.#correlator.correlate(said, now, () => eventName(said, now, random))
    if (counted === undefined) return this.#dropped.add(1, { because: "spam" })
    this.#waiting.push(counted)
    this.#writing ??= this.#writeAll()
  }

  /** Writes what still waits, each with one try and all within a second. Nothing is taken in any more. */
  async close(): Promise<void> {
    this.#closing.abort()
    using _limit = this.#options.clock.timer(closeLimit, "event recorder: close", () => this.#cut.abort())
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#writeWithRetries(next)
    } finally {
      // At once, and not when the promise is heard of: what is said in between would find somebody writing who writes no more.
      this.#writing = undefined
    }
  }

  async #writeWithRetries(counted: Counted): Promise<void> {
    const { clock, random } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await abortable(this.#write(counted), this.#cut.signal)
      } catch (error) {
        // What a server refused it refuses again.
        if (statusErrorIn(error) !== undefined || attempt >= tries || this.#closing.signal.aborted) return this.#giveUp(counted, error)
        // The first wait is random, so that the events of a restarted fleet do not come together.
        const wait = attempt === 1 ? retryAfter * random.next() : retryAfter
        await clock.sleep(wait, { signal: this.#closing.signal, name: "event recorder" }).catch(() => {})
      }
    }
  }

  #giveUp({ said, key }: Counted, error: unknown): void {
    this.#correlator.forget(key)
    const { log } = this.#options
    // A namespace that goes away is no news, and neither is an event that is there already.
    const quiet = hasCause(error, "NamespaceTerminating") || isAlreadyExists(error) || this.#closing.signal.aborted
    const about = { reason: said.reason, message: said.message, error: messageOf(error) }
    // Called on the log: a method that is taken off it loses its `this`.
    if (quiet) log.debug("could not write an event", about)
    else log.warn("could not write an event", about)
  }

  async #write(counted: Counted): Promise<void> {
    const { client } = this.#options
    const event = eventOf(counted)
    const { signal } = this.#cut
    if (counted.count > 1) {
      const patched = client.patch(eventResource, event, repetition(counted), { signal })
      // Events live for an hour; one that is gone is said anew, with its count.
      if (await patched.then(() => true, orNotFound)) return
    }
    await client.create(eventResource, event, { signal })
  }
}

function orNotFound(error: unknown): false {
  if (isNotFound(error)) return false
  throw error
}
