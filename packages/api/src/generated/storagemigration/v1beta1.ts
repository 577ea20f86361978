// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { StorageVersionMigration } from "./v1beta1.types.ts"

export type * from "./v1beta1.types.ts"

export const storageVersionMigrations: Descriptor<StorageVersionMigration> = describe("storagemigration.k8s.io/v1beta1 StorageVersionMigration storageversionmigrations storageversionmigration   c cdDglpuw status::gpu")
