// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `events.k8s.io/v1 io.k8s.api.events.v1
Event: @ action:s deprecatedCount:i deprecatedFirstTimestamp:t deprecatedLastTimestamp:t deprecatedSource:core/v1.EventSource= eventTime*:m metadata:.ObjectMeta= note:s reason:s regarding:core/v1.ObjectReference= related:core/v1.ObjectReference reportingController:s reportingInstance:s series:EventSeries type:s
EventList: @ items*:]Event metadata:.ListMeta=
EventSeries: count*:i= lastObservedTime*:m
`
