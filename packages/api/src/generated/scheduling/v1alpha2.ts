// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { PodGroup } from "./v1alpha2.types.ts"

export type * from "./v1alpha2.types.ts"

export const podGroups: Descriptor<PodGroup> = descriptorFromRow("scheduling.k8s.io/v1alpha2 PodGroup podgroups podgroup   n cdDglpuw status::gpu")
