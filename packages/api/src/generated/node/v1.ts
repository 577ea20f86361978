// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { RuntimeClass } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const runtimeClasses: Descriptor<RuntimeClass> = descriptorFromRow("node.k8s.io/v1 RuntimeClass runtimeclasses runtimeclass   c cdDglpuw")
