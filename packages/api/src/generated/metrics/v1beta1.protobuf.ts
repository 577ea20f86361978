// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
ContainerMetrics name! usage^q
@NodeMetrics metadata!meta/v1.ObjectMeta timestamp!t window!n usage^q
@NodeMetricsList metadata!meta/v1.ListMeta items+NodeMetrics
@PodMetrics metadata!meta/v1.ObjectMeta timestamp!t window!n containers+ContainerMetrics
@PodMetricsList metadata!meta/v1.ListMeta items+PodMetrics
`
