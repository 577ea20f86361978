// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { StorageVersion } from "./v1alpha1.types.ts"

export type * from "./v1alpha1.types.ts"

export const storageVersions: Descriptor<StorageVersion> = descriptorFromRow("internal.apiserver.k8s.io/v1alpha1 StorageVersion storageversions storageversion   c cdDglpuw status::gpu")
