// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@PriorityClass metadata!meta/v1.ObjectMeta value!i globalDefault.b description. preemptionPolicy?
@PriorityClassList metadata!meta/v1.ListMeta items+PriorityClass
`
