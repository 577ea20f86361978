import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "@pilothouse/api/rbac/v1"
import { policyRule } from "../rbac/rule-text.ts"
import { aggregatedRoles, clusterRoleText } from "./cluster-roles.ts"
import { controllerRoleText } from "./controller-roles.ts"
import { clusterRoleBindingTable, type NamespacePolicy, namespacePolicies } from "./role-table.ts"

/** Upstream's mark of roles and bindings that a newer release may change; "false" is the user's mark of one that it may not. */
export const autoupdate = "rbac.authorization.kubernetes.io/autoupdate"

const group = "rbac.authorization.k8s.io"
const apiVersion = `${group}/v1` as const
/** Shared by all objects: a cluster that is not asked for them keeps one of each. */
const annotations: Readonly<Record<string, string>> = Object.freeze({ [autoupdate]: "true" })
const labels: Readonly<Record<string, string>> = Object.freeze({ "kubernetes.io/bootstrapping": "rbac-defaults" })
const toAggregate = `${group}/aggregate-to-`

/** The roles and bindings that every cluster has. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
  readonly roles: readonly Role[]
  readonly roleBindings: readonly RoleBinding[]
}

/** Returns upstream's bootstrap policy of 1.36.3. The rules of a role are made when they are first read, since most roles are never asked for. */
export function bootstrapPolicy(): BootstrapPolicy {
  const controllers = rolesIn(controllerRoleText).map((found) => ({ role: `system:controller:${found.name}`, ...found }))
  const namespaced = namespacePolicies()
  return {
    clusterRoles: [
      ...rolesIn(clusterRoleText).map(({ name, rules }) => clusterRole(name, rules)),
      ...Object.keys(aggregatedRoles).map(aggregatedRole),
      ...controllers.map(({ role, rules }) => clusterRole(role, rules)),
    ],
    clusterRoleBindings: [
      ...Object.entries(clusterRoleBindingTable()).map(([name, subjects]) => clusterRoleBinding(name, subjects)),
      ...controllers.map(({ role, name }) => clusterRoleBinding(role, [`ServiceAccount ${name} kube-system`])),
    ],
    roles: namespaced.map(namespaceRole),
    roleBindings: namespaced.map(namespaceBinding),
  }
}

/** A line that is not indented names a role, and the indented ones behind it are its rules. */
function rolesIn(text: string): readonly { readonly name: string; readonly rules: readonly string[] }[] {
  return text
    .trim()
    .split(/\n(?! )/)
    .map((block) => {
      const [name = "", ...rules] = block.split("\n  ")
      return { name, rules }
    })
}

function clusterRole(name: string, lines: readonly string[]): ClusterRole {
  const part = /^system:aggregate-to-(.+)$/.exec(name)?.[1]
  return withRules({ kind: "ClusterRole", apiVersion, metadata: { name, labels: labelsOf(part), annotations } }, lines)
}

/** Its rules are the clusterrole-aggregation controller's. */
function aggregatedRole(name: string): ClusterRole {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [`${toAggregate}${name}`]: "true" } }] }
  return { kind: "ClusterRole", apiVersion, metadata: { name, labels: labelsOf(aggregatedRoles[name]), annotations }, aggregationRule }
}

function labelsOf(part: string | undefined): Readonly<Record<string, string>> {
  return part === undefined ? labels : { ...labels, [`${toAggregate}${part}`]: "true" }
}

function clusterRoleBinding(name: string, subjects: readonly string[]): ClusterRoleBinding {
  const roleRef = { apiGroup: group, kind: "ClusterRole", name }
  return { kind: "ClusterRoleBinding", apiVersion, metadata: { name, labels, annotations }, ...subjectsOf(subjects), roleRef }
}

function namespaceRole({ namespace, role: name, rules }: NamespacePolicy): Role {
  return withRules({ kind: "Role", apiVersion, metadata: { name, namespace, labels, annotations } }, rules)
}

function namespaceBinding({ namespace, role, binding: name = role, subjects }: NamespacePolicy): RoleBinding {
  const roleRef = { apiGroup: group, kind: "Role", name: role }
  return { kind: "RoleBinding", apiVersion, metadata: { name, namespace, labels, annotations }, ...subjectsOf(subjects), roleRef }
}

function subjectsOf(lines: readonly string[]): { readonly subjects?: readonly Subject[] } {
  if (lines.length === 0) return {}
  return {
    subjects: lines.map((line) => {
      const [kind = "", name = "", namespace] = line.split(" ")
      return namespace === undefined ? { kind, apiGroup: group, name } : { kind, name, namespace }
    }),
  }
}

/** Adds rules that are read from their lines when they are needed. */
export function withRules<T extends object>(role: T, lines: readonly string[]): T & { readonly rules: readonly PolicyRule[] } {
  let rules: readonly PolicyRule[] | undefined
  const get = () => (rules ??= Object.freeze(lines.map(policyRule)))
  return Object.defineProperty(role, "rules", { enumerable: true, get }) as T & { readonly rules: readonly PolicyRule[] }
}
