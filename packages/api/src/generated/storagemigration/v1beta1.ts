// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { StorageVersionMigration } from "./v1beta1.types.ts"

export type * from "./v1beta1.types.ts"

export const storageVersionMigrations: Descriptor<StorageVersionMigration> = descriptorFromRow("storagemigration.k8s.io/v1beta1 StorageVersionMigration storageversionmigrations storageversionmigration   c cdDglpuw status::gpu")
