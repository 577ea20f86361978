// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const deviceClasses: Descriptor<DeviceClass> = descriptorFromRow("resource.k8s.io/v1 DeviceClass deviceclasses deviceclass   c cdDglpuw")
export const resourceClaims: Descriptor<ResourceClaim> = descriptorFromRow("resource.k8s.io/v1 ResourceClaim resourceclaims resourceclaim   n cdDglpuw status::gpu")
export const resourceClaimTemplates: Descriptor<ResourceClaimTemplate> = descriptorFromRow("resource.k8s.io/v1 ResourceClaimTemplate resourceclaimtemplates resourceclaimtemplate   n cdDglpuw")
export const resourceSlices: Descriptor<ResourceSlice> = descriptorFromRow("resource.k8s.io/v1 ResourceSlice resourceslices resourceslice   c cdDglpuw")
