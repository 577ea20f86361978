// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { EndpointSlice } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const endpointSlices: Descriptor<EndpointSlice> = describe("discovery.k8s.io/v1 EndpointSlice endpointslices endpointslice   n cdDglpuw")
