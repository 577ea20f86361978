// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { PriorityClass } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const priorityClasses: Descriptor<PriorityClass> = describe("scheduling.k8s.io/v1 PriorityClass priorityclasses priorityclass pc  c cdDglpuw")
