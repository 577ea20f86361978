import { checkLabelKey, deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { Event } from "@pilothouse/api/core/v1"
import { immutable, required } from "./field-rules.ts"
import { type GoLayout, goLayout, goStructValue } from "./go-struct.ts"

/** Which of its two forms a request speaks of events in; the newer one takes no event that is only half said. */
type EventForm = "core" | "events"

const limits = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const

/** Validates an event in the core/v1 form, whichever version the client sent. */
export function eventErrors(event: Event, form: EventForm): readonly FieldError[] {
  return event.eventTime === undefined ? oldEventErrors(event) : newEventErrors(event, form)
}

function oldEventErrors({ metadata, involvedObject }: Event): readonly FieldError[] {
  const [namespace, involved] = [metadata.namespace ?? "", involvedObject?.namespace ?? ""]
  const fits = involved === "" ? namespace === "default" : involved === namespace
  return fits ? [] : [mismatch(involved)]
}

function mismatch(involved: string): FieldError {
  return fieldError.invalid("involvedObject.namespace", involved, "does not match event.namespace")
}

/** What is said of cluster-wide objects is said in "default" or in the system's namespace. */
function newEventErrors(event: Event, form: EventForm): readonly FieldError[] {
  const { metadata, involvedObject, reportingComponent = "" } = event
  const somewhere = metadata.namespace !== "default" && metadata.namespace !== "kube-system"
  const controller = form === "core" ? "reportingComponent" : "reportingController"
  return [
    ...((involvedObject?.namespace ?? "") === "" && somewhere ? [mismatch("")] : []),
    ...required(reportingComponent, controller),
    ...checkLabelKey(reportingComponent).map((text) => fieldError.invalid(controller, reportingComponent, text)),
    ...required(event.reportingInstance, "reportingInstance"),
    ...lengthErrors(event, "reportingInstance"),
    ...required(event.action, "action"),
    ...lengthErrors(event, "action"),
    ...required(event.reason, "reason"),
    ...lengthErrors(event, "reason"),
    ...lengthErrors(event, "message"),
  ]
}

function lengthErrors(event: Event, field: keyof typeof limits): readonly FieldError[] {
  const length = new TextEncoder().encode(event[field] ?? "").length
  return length > limits[field] ? [fieldError.invalid(field, "", `can have at most ${limits[field]} characters`)] : []
}

/** A new event in the newer form: nothing of the older one. */
export function strictEventErrors(event: Event): readonly FieldError[] {
  const { type = "", firstTimestamp, lastTimestamp, count = 0, source } = event
  const set = (field: string) => fieldError.invalid(field, "", "needs to be unset")
  return [
    ...seriesErrors(event),
    ...required(event.eventTime, "eventTime"),
    ...(type === "Normal" || type === "Warning" ? [] : [fieldError.invalid("type", "", `has invalid value: ${type}`)]),
    ...(firstTimestamp === undefined ? [] : [set("firstTimestamp")]),
    ...(lastTimestamp === undefined ? [] : [set("lastTimestamp")]),
    ...(count === 0 ? [] : [set("count")]),
    ...((source?.component ?? "") === "" && (source?.host ?? "") === "" ? [] : [set("source")]),
  ]
}

function seriesErrors({ series }: Event): readonly FieldError[] {
  if (series === undefined) return []
  return [
    ...((series.count ?? 0) < 2 ? [fieldError.invalid("series.count", "", "should be at least 2")] : []),
    ...required(series.lastObservedTime, "series.lastObservedTime"),
  ]
}

const reference = goLayout("kind namespace name uid:UID apiVersion:APIVersion resourceVersion fieldPath")
const structs: Readonly<Partial<Record<keyof Event, GoLayout>>> = {
  involvedObject: reference,
  related: reference,
  source: goLayout("component host"),
}

/** In upstream's order, one field twice. */
const fixed = [
  ["involvedObject"],
  ["reason"],
  ["message"],
  ["source"],
  ["firstTimestamp"],
  ["lastTimestamp"],
  ["count"],
  ["reason"],
  ["type"],
  ["eventTime"],
  ["action"],
  ["related"],
  ["reportingComponent", "reportingController"],
  ["reportingInstance"],
] as const

/** Validates an update in the events.k8s.io form: only the series may change. */
export function eventUpdateErrors(event: Event, old: Event): readonly FieldError[] {
  const changed = deepEqual(event.series, old.series) ? [] : seriesErrors(event)
  return [...changed, ...fixed.flatMap(([key, name = key]) => fixedErrors(event[key], old[key], [key, name]))]
}

function fixedErrors(value: unknown, old: unknown, [key, name]: readonly [keyof Event, string]): readonly FieldError[] {
  const layout = structs[key]
  if (deepEqual(value, old)) return []
  const shown =
    layout === undefined ? (value ?? (key === "count" ? 0 : key.includes("ime") ? null : "")) : value && goStructValue(value, layout)
  return immutable(shown, undefined, name)
}
