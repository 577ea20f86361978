// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { HorizontalPodAutoscaler } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const horizontalPodAutoscalers: Descriptor<HorizontalPodAutoscaler> = descriptorFromRow("autoscaling/v1 HorizontalPodAutoscaler horizontalpodautoscalers horizontalpodautoscaler hpa all n cdDglpuw status::gpu")
