// Written by `npm run generate` (tools/generate/types.ts).
import type { LabelSelector, ListMeta, ObjectMeta } from "../../meta/meta.ts"

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[]
}

export interface ClusterRole {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "ClusterRole"
  readonly metadata: ObjectMeta
  readonly aggregationRule?: AggregationRule
  readonly rules?: readonly PolicyRule[]
}

export interface ClusterRoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "ClusterRoleBinding"
  readonly metadata: ObjectMeta
  readonly roleRef: RoleRef
  readonly subjects?: readonly Subject[]
}

export interface ClusterRoleBindingList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "ClusterRoleBindingList"
  readonly metadata: ListMeta
  readonly items: readonly ClusterRoleBinding[]
}

export interface ClusterRoleList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "ClusterRoleList"
  readonly metadata: ListMeta
  readonly items: readonly ClusterRole[]
}

export interface PolicyRule {
  readonly apiGroups?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly resources?: readonly string[]
  readonly verbs: readonly string[]
}

export interface Role {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "Role"
  readonly metadata: ObjectMeta
  readonly rules?: readonly PolicyRule[]
}

export interface RoleBinding {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "RoleBinding"
  readonly metadata: ObjectMeta
  readonly roleRef: RoleRef
  readonly subjects?: readonly Subject[]
}

export interface RoleBindingList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "RoleBindingList"
  readonly metadata: ListMeta
  readonly items: readonly RoleBinding[]
}

export interface RoleList {
  readonly apiVersion: "rbac.authorization.k8s.io/v1"
  readonly kind: "RoleList"
  readonly metadata: ListMeta
  readonly items: readonly Role[]
}

export interface RoleRef {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface Subject {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
}
