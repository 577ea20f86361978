// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { CustomResourceDefinition } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const customResourceDefinitions: Descriptor<CustomResourceDefinition> = descriptorFromRow("apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions customresourcedefinition crd,crds api-extensions c cdDglpuw status::gpu")
