// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Condition, GroupResource } from "../meta/v1.types.ts"

export interface StorageVersionMigration {
  readonly apiVersion: "storagemigration.k8s.io/v1beta1"
  readonly kind: "StorageVersionMigration"
  readonly metadata: ObjectMeta
  readonly spec?: StorageVersionMigrationSpec
  readonly status?: StorageVersionMigrationStatus
}

export interface StorageVersionMigrationList {
  readonly apiVersion: "storagemigration.k8s.io/v1beta1"
  readonly kind: "StorageVersionMigrationList"
  readonly metadata: ListMeta
  readonly items: readonly StorageVersionMigration[]
}

export interface StorageVersionMigrationSpec {
  readonly resource: GroupResource
}

export interface StorageVersionMigrationStatus {
  readonly conditions?: readonly Condition[]
  readonly resourceVersion?: string
}
