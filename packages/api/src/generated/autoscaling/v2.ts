// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { HorizontalPodAutoscaler } from "./v2.types.ts"

export type * from "./v2.types.ts"

export const horizontalPodAutoscalers: Descriptor<HorizontalPodAutoscaler> = describe("autoscaling/v2 HorizontalPodAutoscaler horizontalpodautoscalers horizontalpodautoscaler hpa all n cdDglpuw status::gpu")
