// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@Event metadata!meta/v1.ObjectMeta eventTime!u series?EventSeries reportingController. reportingInstance. action. reason. regarding!core/v1.ObjectReference related?core/v1.ObjectReference note. type. deprecatedSource!core/v1.EventSource deprecatedFirstTimestamp!t deprecatedLastTimestamp!t deprecatedCount.i
@EventList metadata!meta/v1.ListMeta items+Event
EventSeries count!i lastObservedTime!u
`
