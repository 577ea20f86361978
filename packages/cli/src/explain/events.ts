import { type KubeObject, parseMicroTime, parseTime } from "@pilothouse/api"
import { type Event, events } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { shortDuration } from "./durations.ts"

export interface CoreEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly source: string
  /** "12s" */
  readonly age: string
}

const maxEvents = 10

/** The last events about an object, oldest first. */
export async function eventsAbout(client: Client, object: KubeObject, now: number): Promise<readonly CoreEvent[]> {
  const found = await orderedEvents(client, object)
  return found.slice(-maxEvents).map((event) => ({
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    message: event.message ?? "",
    count: event.series?.count ?? event.count ?? 1,
    source: event.reportingComponent || event.source?.component || "unknown",
    age: shortDuration(now - lastSeen(event)),
  }))
}

/** Returns all events about an object, oldest first; or those that a field selector leaves of them. */
export async function orderedEvents(client: Client, { metadata }: KubeObject, only?: string): Promise<readonly Event[]> {
  const fieldSelector = [`involvedObject.uid=${metadata.uid}`, ...(only === undefined ? [] : [only])].join(",")
  const { items } = await client.list(events, { namespace: metadata.namespace ?? "default", fieldSelector })
  return items.toSorted((a, b) => secondOf(a) - secondOf(b) || arrival(a) - arrival(b))
}

/** Some have times to the microsecond, others to the second: within one only the order in which they came to the server can be trusted. */
function secondOf(event: Event): number {
  return Math.floor(lastSeen(event) / 1000)
}

function arrival({ metadata }: Event): number {
  return Number(metadata.resourceVersion ?? 0)
}

export function lastSeen({ series, lastTimestamp, eventTime, metadata }: Event): number {
  if (series?.lastObservedTime !== undefined) return parseMicroTime(series.lastObservedTime)
  if (lastTimestamp !== undefined && lastTimestamp !== null) return parseTime(lastTimestamp)
  if (eventTime !== undefined && eventTime !== null) return parseMicroTime(eventTime)
  return metadata.creationTimestamp === undefined ? 0 : parseTime(metadata.creationTimestamp)
}
