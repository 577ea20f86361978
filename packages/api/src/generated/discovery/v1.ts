// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { EndpointSlice } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const endpointSlices: Descriptor<EndpointSlice> = descriptorFromRow("discovery.k8s.io/v1 EndpointSlice endpointslices endpointslice   n cdDglpuw")
