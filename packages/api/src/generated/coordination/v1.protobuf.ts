// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@Lease metadata!meta/v1.ObjectMeta spec!LeaseSpec
@LeaseList metadata!meta/v1.ListMeta items+Lease
LeaseSpec holderIdentity? leaseDurationSeconds?i acquireTime?u renewTime?u leaseTransitions?i strategy? preferredHolder?
`
