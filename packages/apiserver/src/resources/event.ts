import { checkPathSegmentName, type KubeObject } from "@pilothouse/api"
import type { Event as CoreEvent } from "@pilothouse/api/core/v1"
import type { Event } from "@pilothouse/api/events/v1"
import { copyManagedFields } from "../managedfields/object-managed-fields.ts"
import { eventErrors, eventUpdateErrors, strictEventErrors } from "../validation/event.ts"
import type { ResourceStrategy } from "./resource.ts"

const hour = 3_600_000

/** News, kept for an hour. The recorder writes an event once and then patches its count. */
export const coreEvent: ResourceStrategy<CoreEvent> = {
  names: checkPathSegmentName,
  validate: (object) => eventErrors(object, "core"),
  createOnUpdate: true,
  timeToLive: hour,
  fields: {
    "involvedObject.kind": ({ involvedObject }) => involvedObject.kind ?? "",
    "involvedObject.namespace": ({ involvedObject }) => involvedObject.namespace ?? "",
    "involvedObject.name": ({ involvedObject }) => involvedObject.name ?? "",
    "involvedObject.uid": ({ involvedObject }) => involvedObject.uid ?? "",
    "involvedObject.apiVersion": ({ involvedObject }) => involvedObject.apiVersion ?? "",
    "involvedObject.resourceVersion": ({ involvedObject }) => involvedObject.resourceVersion ?? "",
    "involvedObject.fieldPath": ({ involvedObject }) => involvedObject.fieldPath ?? "",
    reason: ({ reason }) => reason ?? "",
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? "",
    source: ({ source, reportingComponent }) => source?.component || (reportingComponent ?? ""),
    type: ({ type }) => type ?? "",
  },
}

/** The same events in their newer form. */
export function event(): ResourceStrategy<Event> {
  const decoded = new WeakMap<KubeObject, Event>()
  return {
    validate: (object, old) => {
      const core = toCore(object)
      return [...eventErrors(core, "events"), ...(old === undefined ? strictEventErrors(core) : [])]
    },
    refusedAs: { group: "", kind: "Event" },
    validateUpdate: (object, old) => eventUpdateErrors(toCore(object), toCore(old)),
    createOnUpdate: true,
    timeToLive: hour,
    fields: {
      "regarding.kind": ({ regarding }) => regarding?.kind ?? "",
      "regarding.namespace": ({ regarding }) => regarding?.namespace ?? "",
      "regarding.name": ({ regarding }) => regarding?.name ?? "",
      "regarding.uid": ({ regarding }) => regarding?.uid ?? "",
      "regarding.apiVersion": ({ regarding }) => regarding?.apiVersion ?? "",
      "regarding.resourceVersion": ({ regarding }) => regarding?.resourceVersion ?? "",
      "regarding.fieldPath": ({ regarding }) => regarding?.fieldPath ?? "",
      reason: ({ reason }) => reason ?? "",
      reportingController: ({ reportingController }) => reportingController ?? "",
      type: ({ type }) => type ?? "",
    },
    storedAs: {
      prefix: "/registry/events/",
      encode: toCore,
      // One object per stored one: informers and encoders count on it.
      decode(stored) {
        const known = decoded.get(stored) ?? Object.freeze(copyManagedFields(stored, fromCore(stored as CoreEvent)))
        decoded.set(stored, known)
        return known
      },
    },
  }
}

function toCore(object: Event): CoreEvent {
  const {
    regarding,
    note,
    reportingController,
    deprecatedCount,
    deprecatedFirstTimestamp,
    deprecatedLastTimestamp,
    deprecatedSource,
    ...rest
  } = object
  return compact({
    ...rest,
    apiVersion: "v1",
    involvedObject: regarding ?? {},
    message: note,
    source: deprecatedSource ?? {},
    reportingComponent: reportingController ?? "",
    reportingInstance: rest.reportingInstance ?? "",
    count: deprecatedCount,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
  })
}

function fromCore(object: CoreEvent): Event {
  const { involvedObject, message, reportingComponent, count, firstTimestamp, lastTimestamp, source, ...rest } = object
  return compact({
    ...rest,
    apiVersion: "events.k8s.io/v1",
    regarding: involvedObject,
    note: message,
    // The older form always has these two.
    reportingController: reportingComponent || undefined,
    reportingInstance: rest.reportingInstance || undefined,
    deprecatedCount: count,
    deprecatedFirstTimestamp: firstTimestamp,
    deprecatedLastTimestamp: lastTimestamp,
    deprecatedSource: source,
  }) as Event
}

function compact<T extends object>(object: T): T {
  for (const key of Object.keys(object) as (keyof T)[]) if (object[key] === undefined) delete object[key]
  return object
}
