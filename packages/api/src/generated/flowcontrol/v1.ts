// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { FlowSchema, PriorityLevelConfiguration } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const flowSchemas: Descriptor<FlowSchema> = descriptorFromRow("flowcontrol.apiserver.k8s.io/v1 FlowSchema flowschemas flowschema   c cdDglpuw status::gpu")
export const priorityLevelConfigurations: Descriptor<PriorityLevelConfiguration> = descriptorFromRow("flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration prioritylevelconfigurations prioritylevelconfiguration   c cdDglpuw status::gpu")
