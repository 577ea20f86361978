import { formatTime, hasCause, isAlreadyExists, isNotFound, statusErrorIn } from "@pilothouse/api"
import { type Event, events as eventResource } from "@pilothouse/api/core/v1"
import { abortable, type Clock, type Log, type Metrics, messageOf, noMetrics, type Random } from "@pilothouse/seams"
import type { Client } from "../client/client.ts"
import type { PlannedEvent } from "../controller/plan/plan.ts"
import { type CorrelatorOptions, type CountedEvent, EventCorrelator } from "./correlator.ts"
import { EventSeries, seriesEndsAfter } from "./event-series.ts"
import type { PendingWrite, SourcedEvent } from "./sourced-event.ts"

export interface EventRecorderOptions extends CorrelatorOptions {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics?: Metrics
}

/** Events that may wait to be written; more are dropped, so that a slow server never delays a controller. */
const queueLimit = 1000
const maxTries = 12
const retryAfter = 10_000
const closeLimit = 1000
/** Rounds of finishing series (6 min) until all are refreshed (30 min). */
const roundsToRefresh = 5

/**
 * Writes Kubernetes Events: the EventRecorder and the EventBroadcaster of client-go in one. record() never waits and never throws.
 * Invariant: at most one event is being written, and one is while any wait; the others wait in order, at most 1000 of them.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #correlator: EventCorrelator
  readonly #series: EventSeries
  readonly #waiting: PendingWrite[] = []
  /** Ends the waits between tries. */
  readonly #closing = new AbortController()
  /** Ends the active request. */
  readonly #cut = new AbortController()
  readonly #dropped
  #writing: Promise<void> | undefined
  /** Set while a series is open. */
  #roundTimer: Disposable | undefined

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#correlator = new EventCorrelator(options)
    this.#series = new EventSeries(options)
    const help = "Events that were not written: too many waited, or the budget of an object was used up"
    this.#dropped = (options.metrics ?? noMetrics).counter({ name: "pilothouse_events_dropped_total", help })
  }

  record(component: string, planned: PlannedEvent, fieldManager?: string): void {
    if (this.#closing.signal.aborted) return
    if (this.#waiting.length >= queueLimit) return this.#dropped.add(1, { reason: "queue" })
    const event = { ...planned, component, fieldManager }
    this.#enqueue(event.action === undefined ? this.#counted(event) : this.#inSeries(event))
  }

  /** Writes what still waits, each with one try and all within a second. Later events are ignored. */
  async close(): Promise<void> {
    this.#roundTimer?.[Symbol.dispose]()
    this.#enqueue(this.#series.finishAll())
    this.#closing.abort()
    using _limit = this.#options.clock.timer(closeLimit, "event recorder: close", () => this.#cut.abort())
    await this.#writing
  }

  #enqueue(writings: readonly PendingWrite[]): void {
    const room = Math.max(0, queueLimit - this.#waiting.length)
    // As one that could not be written: the next event starts again.
    for (const { forget } of writings.slice(room)) {
      this.#dropped.add(1, { reason: "queue" })
      forget()
    }
    if (writings.length === 0 || room === 0) return
    for (const writing of writings.slice(0, room)) this.#waiting.push(writing)
    this.#writing ??= this.#writeAll()
  }

  #counted(event: SourcedEvent): readonly PendingWrite[] {
    const { clock, random } = this.#options
    const now = clock.now()
    const counted = this.#correlator.correlate(event, now, () => eventName(event, now, random))
    if (counted === undefined) {
      this.#dropped.add(1, { reason: "spam" })
      return []
    }
    const patch = counted.count > 1 ? repetition(counted) : undefined
    const forget = () => this.#correlator.forget(counted.key)
    return [{ logged: event, of: eventResource, event: coreEvent(counted), patch, fieldManager: event.fieldManager, forget }]
  }

  #inSeries(event: SourcedEvent): readonly PendingWrite[] {
    const { clock, random } = this.#options
    const now = clock.now()
    this.#roundTimer ??= this.#round(1)
    return this.#series.add(event, now, () => eventName(event, now, random))
  }

  #round(number: number): Disposable {
    const { clock } = this.#options
    return clock.timer(seriesEndsAfter, "event recorder: series that are over", () => {
      this.#enqueue(this.#series.finish(clock.now()))
      if (number % roundsToRefresh === 0) this.#enqueue(this.#series.refresh())
      this.#roundTimer = this.#series.size === 0 ? undefined : this.#round(number + 1)
    })
  }

  async #writeAll(): Promise<void> {
    try {
      for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) await this.#writeWithRetries(next)
    } finally {
      // Synchronously, not in a later then(): an event in between would wait for a writer that has ended.
      this.#writing = undefined
    }
  }

  async #writeWithRetries(write: PendingWrite): Promise<void> {
    const { clock, random } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await abortable(this.#write(write), this.#cut.signal)
      } catch (error) {
        // A refused write is not retried.
        if (statusErrorIn(error) !== undefined || attempt >= maxTries || this.#closing.signal.aborted) return this.#giveUp(write, error)
        // The first delay is random, so that the events of many restarted processes do not come together.
        const wait = attempt === 1 ? retryAfter * random.next() : retryAfter
        await clock.sleep(wait, { signal: this.#closing.signal, name: "event recorder" }).catch(() => {})
      }
    }
  }

  #giveUp({ logged, forget }: PendingWrite, error: unknown): void {
    forget()
    const { log } = this.#options
    // A terminating namespace is expected.
    const quiet = hasCause(error, "NamespaceTerminating") || this.#closing.signal.aborted
    const about = { reason: logged.reason, message: logged.message, error: messageOf(error) }
    // Called on the log: a detached method loses its `this`.
    if (quiet) log.debug("could not write an event", about)
    else log.warn("could not write an event", about)
  }

  async #write({ of, event, patch, fieldManager }: PendingWrite): Promise<void> {
    const { client } = this.#options
    const { signal } = this.#cut
    if (patch !== undefined) {
      const patched = client.patch(of, event, patch, { fieldManager, signal })
      // Events expire after an hour; an expired one is created again, with its count.
      if (await patched.then(() => true, orNotFound)) return
    }
    // One that exists already is from an earlier try whose response was lost: names are unique.
    await client.create(of, event, { fieldManager, signal }).catch(orAlreadyExists)
  }
}

function orAlreadyExists(error: unknown): void {
  if (!isAlreadyExists(error)) throw error
}

function orNotFound(error: unknown): false {
  if (isNotFound(error)) return false
  throw error
}

/** The maximum length of an object's name. */
const maxNameLength = 253

/** Upstream's format: the name of the object, and the nanoseconds in hexadecimal. The part below a millisecond is random. */
function eventName({ about }: SourcedEvent, now: number, random: Random): string {
  const suffix = (BigInt(Math.trunc(now)) * 1_000_000n + BigInt(random.int(1_000_000))).toString(16)
  return `${(about.metadata.name ?? "").slice(0, maxNameLength - suffix.length - 1)}.${suffix}`
}

/** Returns the Event object; those about cluster-scoped objects are in "default". */
function coreEvent({ event: { about, type, reason, message, component }, name, count, first, last }: CountedEvent): Event {
  const { namespace, uid, resourceVersion } = about.metadata
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: namespace || "default" },
    involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name: about.metadata.name, namespace, uid, resourceVersion },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    reportingInstance: "",
    firstTimestamp: formatTime(first),
    lastTimestamp: formatTime(last),
    count,
  }
}

/** Returns the fields that a repetition changes. */
function repetition({ event: { message }, count, last }: CountedEvent): Pick<Event, "count" | "lastTimestamp" | "message"> {
  return { count, lastTimestamp: formatTime(last), message }
}
