import { deepEqual, type KubeObject } from "@pilothouse/api"
import type { AggregationRule, ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "@pilothouse/api/rbac/v1"
import { uncovered } from "../rbac/covers.ts"
import { autoupdate } from "./policy-objects.ts"

/** What has to be written so that an object grants at least what it should: `recreate` deletes the stored one first. */
export type Reconciliation<T> =
  | { readonly operation: "none" }
  | { readonly operation: "create" | "update" | "recreate"; readonly object: T }

const none = { operation: "none" } as const

type AnyRole = Role | ClusterRole
type AnyBinding = RoleBinding | ClusterRoleBinding

/** Returns what gives a role the rules, labels and annotations that it should have. Nothing that it has beside them goes. */
export function reconcileRole<T extends AnyRole>(existing: T | undefined, expected: T): Reconciliation<T> {
  if (existing === undefined) return { operation: "create", object: expected }
  if (isProtected(existing)) return none
  const rules = existing.rules ?? []
  // Most stored roles are as they should be: comparing rules is far cheaper than comparing each right in them.
  const missing = deepEqual(rules, expected.rules) ? [] : uncovered(rules, expected.rules ?? [])
  const { aggregationRule: _replaced, ...rest }: ClusterRole = existing as ClusterRole
  const object = {
    ...rest,
    metadata: mergedMetadata(existing, expected),
    ...(missing.length > 0 && { rules: [...rules, ...missing] }),
    ...aggregation(existing as ClusterRole, expected as ClusterRole),
  } as unknown as T
  return deepEqual(object, existing) ? none : { operation: "update", object }
}

/** A role that should not be aggregated is so no longer; otherwise selectors that are missing are added. */
function aggregation(existing: ClusterRole, expected: ClusterRole): { readonly aggregationRule?: AggregationRule } {
  if (expected.aggregationRule === undefined) return {}
  const selectors = existing.aggregationRule?.clusterRoleSelectors ?? []
  const missing = (expected.aggregationRule.clusterRoleSelectors ?? []).filter((wanted) => !selectors.some((one) => deepEqual(one, wanted)))
  return { aggregationRule: { ...existing.aggregationRule, clusterRoleSelectors: [...selectors, ...missing] } }
}

/** Returns what gives a binding the subjects that it should have. One of another role is recreated, since a roleRef never changes. */
export function reconcileBinding<T extends AnyBinding>(existing: T | undefined, expected: T): Reconciliation<T> {
  if (existing === undefined) return { operation: "create", object: expected }
  if (isProtected(existing)) return none
  if (!deepEqual(existing.roleRef, expected.roleRef)) return { operation: "recreate", object: expected }
  const subjects = existing.subjects ?? []
  const missing = (expected.subjects ?? []).filter((wanted) => !subjects.some((one) => deepEqual(one, wanted)))
  const object = {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(missing.length > 0 && { subjects: [...subjects, ...missing] }),
  }
  return deepEqual(object, existing) ? none : { operation: "update", object }
}

function isProtected({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[autoupdate] === "false"
}

/** What the user has set wins. */
function mergedMetadata(existing: KubeObject, expected: KubeObject): KubeObject["metadata"] {
  const labels = { ...expected.metadata.labels, ...existing.metadata.labels }
  const annotations = { ...expected.metadata.annotations, ...existing.metadata.annotations }
  return {
    ...existing.metadata,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  }
}
