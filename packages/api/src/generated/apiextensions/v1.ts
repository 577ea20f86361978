// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { CustomResourceDefinition } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const customResourceDefinitions: Descriptor<CustomResourceDefinition> = describe("apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions customresourcedefinition crd,crds api-extensions c cdDglpuw status::gpu")
