// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { MicroTime, Time } from "../../quantity/scalars.ts"
import type { EventSource, ObjectReference } from "../core/v1.types.ts"

export interface Event {
  readonly apiVersion: "events.k8s.io/v1"
  readonly kind: "Event"
  readonly metadata: ObjectMeta
  readonly action?: string
  readonly deprecatedCount?: number
  readonly deprecatedFirstTimestamp?: Time
  readonly deprecatedLastTimestamp?: Time
  readonly deprecatedSource?: EventSource
  readonly eventTime: MicroTime
  readonly note?: string
  readonly reason?: string
  readonly regarding?: ObjectReference
  readonly related?: ObjectReference
  readonly reportingController?: string
  readonly reportingInstance?: string
  readonly series?: EventSeries
  readonly type?: string
}

export interface EventList {
  readonly apiVersion: "events.k8s.io/v1"
  readonly kind: "EventList"
  readonly metadata: ListMeta
  readonly items: readonly Event[]
}

export interface EventSeries {
  readonly count: number
  readonly lastObservedTime: MicroTime
}
