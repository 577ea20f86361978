// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { APIService } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const apiServices: Descriptor<APIService> = descriptorFromRow("apiregistration.k8s.io/v1 APIService apiservices apiservice  api-extensions c cdDglpuw status::gpu")
