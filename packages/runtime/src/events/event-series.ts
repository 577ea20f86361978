import { formatMicroTime } from "@pilothouse/api"
import { type Event, events as eventResource } from "@pilothouse/api/events/v1"
import type { ObjectRef } from "../controller/plan/plan.ts"
import { type PendingWrite, type SourcedEvent, sourceKey } from "./sourced-event.ts"

export interface EventSeriesOptions {
  /** Events in the cache; 4096 by default. */
  readonly cacheSize?: number
}

interface Known {
  readonly event: Event
  readonly fieldManager: string | undefined
  /** When it last occurred. */
  last: number
  count: number
  /** The count that was last written. */
  written: number
}

/** Milliseconds without a repetition after which a series is over. */
export const seriesEndsAfter = 360_000

/**
 * Events of events.k8s.io/v1: a repetition within six minutes makes a series. The first repetition is written at once, the others are counted and
 * written periodically, and when the series ends.
 *
 * Invariant: an event is known from its first occurrence until six minutes after its last; at most `cacheSize` are.
 */
export class EventSeries {
  readonly #known = new Map<string, Known>()
  readonly #limit: number

  constructor({ cacheSize = 4096 }: EventSeriesOptions = {}) {
    this.#limit = cacheSize
  }

  get size(): number {
    return this.#known.size
  }

  /** Returns what to write now. */
  add(event: SourcedEvent, now: number, newName: () => string): readonly PendingWrite[] {
    const key = [sourceKey(event), event.type, event.reason, event.action, refKey(event.related)].join("|")
    const known = this.#known.get(key)
    if (known === undefined || now - known.last > seriesEndsAfter) return [...this.#finish(key), ...this.#begin(key, event, now, newName())]
    known.last = now
    known.count++
    return known.count === 2 ? [this.#seriesWrite(key, known)] : []
  }

  /** Drops the series that are over and returns their unwritten counts. */
  finish(now: number): readonly PendingWrite[] {
    const over = [...this.#known].filter(([, { last }]) => now - last > seriesEndsAfter)
    return over.flatMap(([key]) => this.#finish(key))
  }

  /** Returns every series: events expire after an hour, and an open one must not disappear. */
  refresh(): readonly PendingWrite[] {
    return [...this.#known].filter(([, { count }]) => count > 1).map(([key, known]) => this.#seriesWrite(key, known))
  }

  /** Finishes all series at shutdown. */
  finishAll(): readonly PendingWrite[] {
    return [...this.#known.keys()].flatMap((key) => this.#finish(key))
  }

  #begin(key: string, event: SourcedEvent, now: number, name: string): readonly PendingWrite[] {
    const [oldest] = this.#known.size >= this.#limit ? this.#known.keys() : []
    const { fieldManager } = event
    const ended = oldest === undefined ? [] : this.#finish(oldest)
    const known: Known = { event: eventsV1Event(event, now, name), fieldManager, last: now, count: 1, written: 1 }
    this.#known.set(key, known)
    return [...ended, { logged: event, of: eventResource, event: known.event, fieldManager, forget: () => this.#known.delete(key) }]
  }

  #finish(key: string): readonly PendingWrite[] {
    const known = this.#known.get(key)
    const open = known !== undefined && known.count > known.written ? [this.#seriesWrite(key, known)] : []
    this.#known.delete(key)
    return open
  }

  #seriesWrite(key: string, known: Known): PendingWrite {
    const series = { count: known.count, lastObservedTime: formatMicroTime(known.last) }
    const event: Event = { ...known.event, series }
    const { reason = "", note: message = "" } = event
    known.written = known.count
    const { fieldManager } = known
    return { logged: { reason, message }, of: eventResource, event, patch: { series }, fieldManager, forget: () => this.#known.delete(key) }
  }
}

function eventsV1Event({ about, related, type, reason, message, component, action }: SourcedEvent, now: number, name: string): Event {
  return {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { name, namespace: about.metadata.namespace || "default" },
    eventTime: formatMicroTime(now),
    reportingController: component,
    reportingInstance: component,
    action,
    reason,
    regarding: referenceTo(about),
    ...(related && { related: referenceTo(related) }),
    note: message,
    type,
  }
}

function referenceTo({ apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } }: ObjectRef): Event["regarding"] {
  return { apiVersion, kind, name, namespace, uid, resourceVersion }
}

function refKey(ref: ObjectRef | undefined): string {
  return ref === undefined ? "" : [ref.apiVersion, ref.kind, ref.metadata.namespace, ref.metadata.name, ref.metadata.uid].join("/")
}
