// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { PodDisruptionBudget } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const podDisruptionBudgets: Descriptor<PodDisruptionBudget> = descriptorFromRow("policy/v1 PodDisruptionBudget poddisruptionbudgets poddisruptionbudget pdb  n cdDglpuw status::gpu")
