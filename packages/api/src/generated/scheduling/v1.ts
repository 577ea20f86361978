// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { PriorityClass } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const priorityClasses: Descriptor<PriorityClass> = descriptorFromRow("scheduling.k8s.io/v1 PriorityClass priorityclasses priorityclass pc  c cdDglpuw")
