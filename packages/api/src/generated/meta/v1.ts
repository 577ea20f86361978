// Written by `npm run generate` (tools/generate/descriptors.ts).
export type * from "./v1.types.ts"
export {}
