import { formatTime } from "@pilothouse/api"
import type { Event } from "@pilothouse/api/core/v1"
import type { Random } from "@pilothouse/seams"
import type { CountedEvent } from "./correlator.ts"
import type { SourcedEvent } from "./said.ts"

/** The longest name an object may have. */
const maxNameLength = 253

/** As upstream names them: what it is about, and the nanoseconds in hexadecimal. Clocks that count milliseconds draw the rest by lot. */
export function eventName({ about }: SourcedEvent, now: number, random: Random): string {
  const suffix = (BigInt(Math.trunc(now)) * 1_000_000n + BigInt(random.int(1_000_000))).toString(16)
  return `${(about.metadata.name ?? "").slice(0, maxNameLength - suffix.length - 1)}.${suffix}`
}

/** The Event object; those about what has no namespace are in "default". */
export function coreEvent({ event: { about, type, reason, message, component }, name, count, first, last }: CountedEvent): Event {
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

/** What a repetition changes. */
export function repetition({ event: { message }, count, last }: CountedEvent): Pick<Event, "count" | "lastTimestamp" | "message"> {
  return { count, lastTimestamp: formatTime(last), message }
}
