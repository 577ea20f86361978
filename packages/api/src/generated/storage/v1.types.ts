// Written by `npm run generate` (tools/generate/types.ts).
import type { LabelSelector, ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Quantity, Time } from "../../quantity/scalars.ts"
import type { PersistentVolumeSpec, TopologySelectorTerm } from "../core/v1.types.ts"

export interface CSIDriver {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "CSIDriver"
  readonly metadata: ObjectMeta
  readonly spec: CSIDriverSpec
}

export interface CSIDriverList {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "CSIDriverList"
  readonly metadata: ListMeta
  readonly items: readonly CSIDriver[]
}

export interface CSIDriverSpec {
  readonly attachRequired?: boolean
  readonly fsGroupPolicy?: string
  readonly nodeAllocatableUpdatePeriodSeconds?: Int64
  readonly podInfoOnMount?: boolean
  readonly preventPodSchedulingIfMissing?: boolean
  readonly requiresRepublish?: boolean
  readonly seLinuxMount?: boolean
  readonly serviceAccountTokenInSecrets?: boolean
  readonly storageCapacity?: boolean
  readonly tokenRequests?: readonly TokenRequest[]
  readonly volumeLifecycleModes?: readonly string[]
}

export interface CSINode {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "CSINode"
  readonly metadata: ObjectMeta
  readonly spec: CSINodeSpec
}

export interface CSINodeDriver {
  readonly allocatable?: VolumeNodeResources
  readonly name: string
  readonly nodeID: string
  readonly topologyKeys?: readonly string[]
}

export interface CSINodeList {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "CSINodeList"
  readonly metadata: ListMeta
  readonly items: readonly CSINode[]
}

export interface CSINodeSpec {
  readonly drivers: readonly CSINodeDriver[]
}

export interface CSIStorageCapacity {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "CSIStorageCapacity"
  readonly metadata: ObjectMeta
  readonly capacity?: Quantity
  readonly maximumVolumeSize?: Quantity
  readonly nodeTopology?: LabelSelector
  readonly storageClassName: string
}

export interface CSIStorageCapacityList {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "CSIStorageCapacityList"
  readonly metadata: ListMeta
  readonly items: readonly CSIStorageCapacity[]
}

export interface StorageClass {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "StorageClass"
  readonly metadata: ObjectMeta
  readonly allowVolumeExpansion?: boolean
  readonly allowedTopologies?: readonly TopologySelectorTerm[]
  readonly mountOptions?: readonly string[]
  readonly parameters?: Readonly<Record<string, string>>
  readonly provisioner: string
  readonly reclaimPolicy?: "Delete" | "Recycle" | "Retain"
  readonly volumeBindingMode?: "Immediate" | "WaitForFirstConsumer"
}

export interface StorageClassList {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "StorageClassList"
  readonly metadata: ListMeta
  readonly items: readonly StorageClass[]
}

export interface TokenRequest {
  readonly audience: string
  readonly expirationSeconds?: Int64
}

export interface VolumeAttachment {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "VolumeAttachment"
  readonly metadata: ObjectMeta
  readonly spec: VolumeAttachmentSpec
  readonly status?: VolumeAttachmentStatus
}

export interface VolumeAttachmentList {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "VolumeAttachmentList"
  readonly metadata: ListMeta
  readonly items: readonly VolumeAttachment[]
}

export interface VolumeAttachmentSource {
  readonly inlineVolumeSpec?: PersistentVolumeSpec
  readonly persistentVolumeName?: string
}

export interface VolumeAttachmentSpec {
  readonly attacher: string
  readonly nodeName: string
  readonly source: VolumeAttachmentSource
}

export interface VolumeAttachmentStatus {
  readonly attachError?: VolumeError
  readonly attached: boolean
  readonly attachmentMetadata?: Readonly<Record<string, string>>
  readonly detachError?: VolumeError
}

export interface VolumeAttributesClass {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "VolumeAttributesClass"
  readonly metadata: ObjectMeta
  readonly driverName: string
  readonly parameters?: Readonly<Record<string, string>>
}

export interface VolumeAttributesClassList {
  readonly apiVersion: "storage.k8s.io/v1"
  readonly kind: "VolumeAttributesClassList"
  readonly metadata: ListMeta
  readonly items: readonly VolumeAttributesClass[]
}

export interface VolumeError {
  readonly errorCode?: number
  readonly message?: string
  readonly time?: Time
}

export interface VolumeNodeResources {
  readonly count?: number
}
