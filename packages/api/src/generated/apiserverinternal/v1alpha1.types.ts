// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Time } from "../../quantity/scalars.ts"

export interface ServerStorageVersion {
  readonly apiServerID: string
  readonly decodableVersions: readonly string[]
  readonly encodingVersion: string
  readonly servedVersions?: readonly string[]
}

export interface StorageVersion {
  readonly apiVersion: "internal.apiserver.k8s.io/v1alpha1"
  readonly kind: "StorageVersion"
  readonly metadata: ObjectMeta
  readonly spec?: StorageVersionSpec
  readonly status?: StorageVersionStatus
}

export interface StorageVersionCondition {
  readonly lastTransitionTime?: Time
  readonly message: string
  readonly observedGeneration?: Int64
  readonly reason: string
  readonly status: string
  readonly type: string
}

export interface StorageVersionList {
  readonly apiVersion: "internal.apiserver.k8s.io/v1alpha1"
  readonly kind: "StorageVersionList"
  readonly metadata: ListMeta
  readonly items: readonly StorageVersion[]
}

export type StorageVersionSpec = Readonly<Record<string, never>>

export interface StorageVersionStatus {
  readonly commonEncodingVersion?: string
  readonly conditions?: readonly StorageVersionCondition[]
  readonly storageVersions?: readonly ServerStorageVersion[]
}
