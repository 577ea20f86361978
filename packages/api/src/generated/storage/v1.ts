// Written by `npm run generate` (tools/generate/descriptors.ts).
import { describe } from "../../describe.ts"
import type { Descriptor } from "../../descriptor.ts"
import type { CSIDriver, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment, VolumeAttributesClass } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const csiDrivers: Descriptor<CSIDriver> = describe("storage.k8s.io/v1 CSIDriver csidrivers csidriver   c cdDglpuw")
export const csiNodes: Descriptor<CSINode> = describe("storage.k8s.io/v1 CSINode csinodes csinode   c cdDglpuw")
export const csiStorageCapacities: Descriptor<CSIStorageCapacity> = describe("storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities csistoragecapacity   n cdDglpuw")
export const storageClasses: Descriptor<StorageClass> = describe("storage.k8s.io/v1 StorageClass storageclasses storageclass sc  c cdDglpuw")
export const volumeAttachments: Descriptor<VolumeAttachment> = describe("storage.k8s.io/v1 VolumeAttachment volumeattachments volumeattachment   c cdDglpuw status::gpu")
export const volumeAttributesClasses: Descriptor<VolumeAttributesClass> = describe("storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses volumeattributesclass vac  c cdDglpuw")
