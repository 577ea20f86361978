import type { KubeObject } from "@pilothouse/api"
import type { Event as CoreEvent } from "@pilothouse/api/core/v1"
import type { Event as NewEvent } from "@pilothouse/api/events/v1"
import { age } from "../columns/human-duration.ts"
import type { Printer } from "../columns/printer.ts"

type AnyEvent = CoreEvent | NewEvent

/** What both forms of an event say, under one name each. */
interface EventFacts {
  readonly first?: string
  readonly last?: string
  readonly count?: number
  readonly object?: { readonly kind?: string; readonly name?: string; readonly fieldPath?: string }
  readonly component?: string
  readonly host?: string
  readonly message?: string
}

export const eventPrinter: Printer<AnyEvent & KubeObject> = {
  columns: [
    { name: "Last Seen", type: "string" },
    { name: "Type", type: "string" },
    { name: "Reason", type: "string" },
    { name: "Object", type: "string" },
    { name: "Subobject", type: "string", wide: true },
    { name: "Source", type: "string", wide: true },
    { name: "Message", type: "string" },
    { name: "First Seen", type: "string", wide: true },
    { name: "Count", type: "string", wide: true },
    { name: "Name", type: "string", format: "name", wide: true },
  ],
  cells: (event, now) => {
    const facts = factsOf(event)
    const first = age(facts.first ?? event.eventTime, now)
    const last = event.series ? age(event.series.lastObservedTime, now) : facts.last === undefined ? first : age(facts.last, now)
    // An event that happened once has no count in the new form.
    const count = event.series ? event.series.count : facts.count || 1
    return [
      last,
      event.type ?? "",
      event.reason ?? "",
      target(facts),
      facts.object?.fieldPath ?? "",
      source(event, facts),
      (facts.message ?? "").trim(),
      first,
      count ?? 1,
      event.metadata.name ?? "",
    ]
  },
}

function factsOf(event: AnyEvent): EventFacts {
  if (event.apiVersion === "v1") {
    const { firstTimestamp: first, lastTimestamp: last, count, involvedObject: object, message } = event
    return { first, last, count, object, message, component: event.source?.component, host: event.source?.host }
  }
  const { deprecatedFirstTimestamp: first, deprecatedLastTimestamp: last, deprecatedCount: count, regarding: object, note: message } = event
  return { first, last, count, object, message, component: event.deprecatedSource?.component, host: event.deprecatedSource?.host }
}

function target({ object }: EventFacts): string {
  const kind = (object?.kind ?? "").toLowerCase()
  return object?.name ? `${kind}/${object.name}` : kind
}

function source(event: AnyEvent, { component, host }: EventFacts): string {
  const controller = event.apiVersion === "v1" ? event.reportingComponent : event.reportingController
  const who = component || controller || ""
  const where = host || event.reportingInstance
  return where ? `${who}, ${where}` : who
}
