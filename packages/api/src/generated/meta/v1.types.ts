// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Time } from "../../quantity/scalars.ts"
export type { LabelSelector, LabelSelectorRequirement, ListMeta, ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../../meta/meta.ts"
export type { Duration, Int64, IntOrString, MicroTime, Quantity, Time } from "../../quantity/scalars.ts"

export interface APIGroup {
  readonly apiVersion: "v1"
  readonly kind: "APIGroup"
  readonly name: string
  readonly preferredVersion?: GroupVersionForDiscovery
  readonly serverAddressByClientCIDRs?: readonly ServerAddressByClientCIDR[]
  readonly versions: readonly GroupVersionForDiscovery[]
}

export interface APIGroupList {
  readonly apiVersion: "v1"
  readonly kind: "APIGroupList"
  readonly groups: readonly APIGroup[]
}

export interface APIResource {
  readonly categories?: readonly string[]
  readonly group?: string
  readonly kind: string
  readonly name: string
  readonly namespaced: boolean
  readonly shortNames?: readonly string[]
  readonly singularName: string
  readonly storageVersionHash?: string
  readonly verbs: readonly string[]
  readonly version?: string
}

export interface APIResourceList {
  readonly apiVersion: "v1"
  readonly kind: "APIResourceList"
  readonly groupVersion: string
  readonly resources: readonly APIResource[]
}

export interface APIVersions {
  readonly apiVersion: "v1"
  readonly kind: "APIVersions"
  readonly serverAddressByClientCIDRs: readonly ServerAddressByClientCIDR[]
  readonly versions: readonly string[]
}

export interface Condition {
  readonly lastTransitionTime: Time
  readonly message: string
  readonly observedGeneration?: Int64
  readonly reason: string
  readonly status: string
  readonly type: string
}

export interface DeleteOptions {
  readonly apiVersion?: string
  readonly dryRun?: readonly string[]
  readonly gracePeriodSeconds?: Int64
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: boolean
  readonly kind?: "DeleteOptions"
  readonly orphanDependents?: boolean
  readonly preconditions?: Preconditions
  readonly propagationPolicy?: string
}

export interface FieldSelectorRequirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export type FieldsV1 = Readonly<Record<string, unknown>>

export interface GroupResource {
  readonly group: string
  readonly resource: string
}

export interface GroupVersionForDiscovery {
  readonly groupVersion: string
  readonly version: string
}

export interface List {
  readonly apiVersion: "v1"
  readonly kind: "List"
  readonly metadata: ListMeta
  readonly items: readonly unknown[]
}

export interface PartialObjectMetadata {
  readonly apiVersion: "meta.k8s.io/v1"
  readonly kind: "PartialObjectMetadata"
  readonly metadata: ObjectMeta
}

export interface PartialObjectMetadataList {
  readonly apiVersion: "meta.k8s.io/v1"
  readonly kind: "PartialObjectMetadataList"
  readonly metadata: ListMeta
  readonly items: readonly PartialObjectMetadata[]
}

export interface Preconditions {
  readonly resourceVersion?: string
  readonly uid?: string
}

export interface ServerAddressByClientCIDR {
  readonly clientCIDR: string
  readonly serverAddress: string
}

export interface ShardInfo {
  readonly selector: string
}

export interface Status {
  readonly apiVersion: "v1"
  readonly kind: "Status"
  readonly metadata: ListMeta
  readonly code?: number
  readonly details?: StatusDetails
  readonly message?: string
  readonly reason?: string
  readonly status?: string
}

export interface StatusCause {
  readonly field?: string
  readonly message?: string
  readonly reason?: string
}

export interface StatusDetails {
  readonly causes?: readonly StatusCause[]
  readonly group?: string
  readonly kind?: string
  readonly name?: string
  readonly retryAfterSeconds?: number
  readonly uid?: string
}

export interface Table {
  readonly apiVersion: "meta.k8s.io/v1"
  readonly kind: "Table"
  readonly metadata: ListMeta
  readonly columnDefinitions: readonly TableColumnDefinition[]
  readonly rows: readonly TableRow[]
}

export interface TableColumnDefinition {
  readonly description: string
  readonly format: string
  readonly name: string
  readonly priority: number
  readonly type: string
}

export interface TableRow {
  readonly cells: readonly unknown[]
  readonly conditions?: readonly TableRowCondition[]
  readonly object?: unknown
}

export interface TableRowCondition {
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface WatchEvent {
  readonly object: unknown
  readonly type: string
}
