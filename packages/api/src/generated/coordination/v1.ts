// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { Lease } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const leases: Descriptor<Lease> = describe("coordination.k8s.io/v1 Lease leases lease   n cdDglpuw")
