// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { RuntimeClass } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const runtimeClasses: Descriptor<RuntimeClass> = describe("node.k8s.io/v1 RuntimeClass runtimeclasses runtimeclass   c cdDglpuw")
