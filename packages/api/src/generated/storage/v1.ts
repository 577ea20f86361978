// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const csiDrivers: Descriptor<CSIDriver> = descriptorFromRow("storage.k8s.io/v1 CSIDriver csidrivers csidriver   c cdDglpuw")
export const csiNodes: Descriptor<CSINode> = descriptorFromRow("storage.k8s.io/v1 CSINode csinodes csinode   c cdDglpuw")
export const csiStorageCapacities: Descriptor<CSIStorageCapacity> = descriptorFromRow("storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities csistoragecapacity   n cdDglpuw")
export const storageClasses: Descriptor<StorageClass> = descriptorFromRow("storage.k8s.io/v1 StorageClass storageclasses storageclass sc  c cdDglpuw")
export const volumeAttachments: Descriptor<VolumeAttachment> = descriptorFromRow("storage.k8s.io/v1 VolumeAttachment volumeattachments volumeattachment   c cdDglpuw status::gpu")
export const volumeAttributesClasses: Descriptor<VolumeAttributesClass> = descriptorFromRow("storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses volumeattributesclass vac  c cdDglpuw")
