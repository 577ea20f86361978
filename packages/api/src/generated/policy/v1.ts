// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { PodDisruptionBudget } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const podDisruptionBudgets: Descriptor<PodDisruptionBudget> = describe("policy/v1 PodDisruptionBudget poddisruptionbudgets poddisruptionbudget pdb  n cdDglpuw status::gpu")
