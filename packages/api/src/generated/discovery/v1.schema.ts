// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `discovery.k8s.io/v1 io.k8s.api.discovery.v1
Endpoint: addresses*:%s conditions:EndpointConditions= deprecatedTopology:{s hints:EndpointHints hostname:s nodeName:s targetRef:core/v1.ObjectReference zone:s
EndpointConditions: ready:b serving:b terminating:b
EndpointHints: forNodes:[ForNode forZones:[ForZone
EndpointPort: ! appProtocol:s name:s port:i protocol:s<SCTP|TCP|UDP>
EndpointSlice: @ addressType*:s<FQDN|IPv4|IPv6>= endpoints:[Endpoint metadata:.ObjectMeta= ports:[EndpointPort
EndpointSliceList: @ items*:]EndpointSlice metadata:.ListMeta=
ForNode: name*:s=
ForZone: name*:s=
`
