// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
Overhead podFixed%q
@RuntimeClass metadata!meta/v1.ObjectMeta handler! overhead?Overhead scheduling?Scheduling
@RuntimeClassList metadata!meta/v1.ListMeta items+RuntimeClass
Scheduling nodeSelector% tolerations*core/v1.Toleration
`
