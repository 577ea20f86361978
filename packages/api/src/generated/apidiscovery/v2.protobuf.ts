// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@APIGroupDiscovery metadata!meta/v1.ObjectMeta versions*APIVersionDiscovery
@APIGroupDiscoveryList metadata!meta/v1.ListMeta items+APIGroupDiscovery
APIResourceDiscovery resource! responseKind?meta/v1.GroupVersionKind scope! singularResource! verbs+ shortNames* categories* subresources*APISubresourceDiscovery
APISubresourceDiscovery subresource! responseKind?meta/v1.GroupVersionKind acceptedTypes*meta/v1.GroupVersionKind verbs+
APIVersionDiscovery version! resources*APIResourceDiscovery freshness.
`
