// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { ResourcePoolStatusRequest } from "./v1alpha3.types.ts"

export type * from "./v1alpha3.types.ts"

export const resourcePoolStatusRequests: Descriptor<ResourcePoolStatusRequest> = descriptorFromRow("resource.k8s.io/v1alpha3 ResourcePoolStatusRequest resourcepoolstatusrequests resourcepoolstatusrequest   c cdDglpuw status::gpu")
