// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { Lease } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const leases: Descriptor<Lease> = descriptorFromRow("coordination.k8s.io/v1 Lease leases lease   n cdDglpuw")
