// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { NodeMetrics, PodMetrics } from "./v1beta1.types.ts"

export type * from "./v1beta1.types.ts"

export const nodeMetrics: Descriptor<NodeMetrics> = descriptorFromRow("metrics.k8s.io/v1beta1 NodeMetrics nodes    c gl")
export const podMetrics: Descriptor<PodMetrics> = descriptorFromRow("metrics.k8s.io/v1beta1 PodMetrics pods    n gl")
