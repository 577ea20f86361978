// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { NodeMetrics, PodMetrics } from "./v1beta1.types.ts"

export type * from "./v1beta1.types.ts"

export const nodeMetrics: Descriptor<NodeMetrics> = describe("metrics.k8s.io/v1beta1 NodeMetrics nodes    c gl")
export const podMetrics: Descriptor<PodMetrics> = describe("metrics.k8s.io/v1beta1 PodMetrics pods    n gl")
