// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
Endpoint addresses+ conditions!EndpointConditions hostname? targetRef?core/v1.ObjectReference deprecatedTopology% nodeName? zone? hints?EndpointHints
EndpointConditions ready?b serving?b terminating?b
EndpointHints forZones*ForZone forNodes*ForNode
EndpointPort name? protocol? port?i appProtocol?
@EndpointSlice metadata!meta/v1.ObjectMeta endpoints+Endpoint ports+EndpointPort addressType!
@EndpointSliceList metadata!meta/v1.ListMeta items+EndpointSlice
ForNode name!
ForZone name!
`
