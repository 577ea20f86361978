// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { APIService } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const apiServices: Descriptor<APIService> = describe("apiregistration.k8s.io/v1 APIService apiservices apiservice  api-extensions c cdDglpuw status::gpu")
