import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from "@pilothouse/api/rbac/v1"
import { policyRule } from "../rbac/rule-text.ts"
import { aggregatedRoles, clusterRoleText } from "./cluster-roles.ts"
import { controllerRoleText } from "./controller-roles.ts"
import { optionalPolicies } from "./optional-policies.ts"
import { clusterRoleBindingTable, type NamespacePolicy, namespacePolicies } from "./role-table.ts"

/** Upstream's mark of roles and bindings that a newer release may change; "false" is the user's mark of one that it may not. */
export const autoupdate = "rbac.authorization.kubernetes.io/autoupdate"

type Labels = Readonly<Record<string, string>>

const group = "rbac.authorization.k8s.io"
const apiVersion = `${group}/v1` as const
/** Shared by all objects: a cluster whose policy is not read keeps one of each. */
const annotations: Readonly<Record<string, string>> = Object.freeze({ [autoupdate]: "true" })
const labels: Labels = Object.freeze({ "kubernetes.io/bootstrapping": "rbac-defaults" })
const toAggregate = `${group}/aggregate-to-`

/** The roles and bindings that every cluster has. */
export interface BootstrapPolicy {
  readonly clusterRoles: readonly ClusterRole[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
  readonly roles: readonly Role[]
  readonly roleBindings: readonly RoleBinding[]
}

/** The rights of a ServiceAccount in kube-system: a ClusterRole that is there, or one that is made of rules as `policyRule` reads them. */
export interface ComponentRole {
  readonly account: string
  readonly rules?: readonly string[]
  readonly role?: string
}

/**
 * Returns upstream's bootstrap policy of 1.36.3, and the roles of further components. Of the group versions that are off by default those that are enabled
 * add theirs. The rules of a role are made when they are first read, since most roles never are.
 */
export function bootstrapPolicy(components: readonly ComponentRole[] = [], enabledVersions: readonly string[] = []): BootstrapPolicy {
  const optional = enabledVersions.flatMap((version) => optionalPolicies[version] ?? [])
  const controllers = [controllerRoleText, ...optional.map((one) => one.controllerRoleText ?? "")]
    .flatMap(rolesIn)
    .map((found) => ({ role: `system:controller:${found.name}`, ...found }))
  const own = [clusterRoleText, ...optional.map((one) => one.clusterRoleText ?? "")].flatMap(rolesIn)
  const bindings = [clusterRoleBindingTable(), ...optional.map((one) => one.bindings ?? {})].flatMap(Object.entries<readonly string[]>)
  const namespaced = namespacePolicies()
  return {
    clusterRoles: [
      ...own.map(({ name, rules }) => clusterRole(name, name === nodeRole ? [...rules, ...optionalNodeRules(enabledVersions)] : rules)),
      ...Object.keys(aggregatedRoles).map(aggregatedRole),
      ...controllers.map(({ role, rules }) => clusterRole(role, rules)),
      ...components.flatMap(({ account, rules }) => (rules === undefined ? [] : [clusterRole(ownName(account), rules, managed)])),
    ],
    clusterRoleBindings: [
      ...bindings.map(([name, subjects]) => clusterRoleBinding(name, subjects)),
      ...controllers.map(({ role, name }) => clusterRoleBinding(role, [`ServiceAccount ${name} kube-system`])),
      ...components.map(componentBinding),
    ],
    roles: namespaced.map(namespaceRole),
    roleBindings: namespaced.map(namespaceBinding),
  }
}

const nodeRole = "system:node"

/** Returns what every node may do: the rules of system:node, which no binding gives to nodes. */
export function nodeRules(enabledVersions: readonly string[] = []): readonly PolicyRule[] {
  const { rules } = rolesIn(clusterRoleText).find(({ name }) => name === nodeRole)!
  return [...rules, ...optionalNodeRules(enabledVersions)].map(policyRule)
}

function optionalNodeRules(enabledVersions: readonly string[]): readonly string[] {
  return enabledVersions.flatMap((version) => optionalPolicies[version]?.nodeRules ?? [])
}

/** A line that is not indented names a role, and the indented ones behind it are its rules. */
function rolesIn(text: string): readonly { readonly name: string; readonly rules: readonly string[] }[] {
  if (text === "") return []
  return text
    .trim()
    .split(/\n(?! )/)
    .map((block) => {
      const [name = "", ...rules] = block.split("\n  ")
      return { name, rules }
    })
}

function clusterRole(name: string, lines: readonly string[], labels?: Labels): ClusterRole {
  const part = /^system:aggregate-to-(.+)$/.exec(name)?.[1]
  return withRules({ kind: "ClusterRole", apiVersion, metadata: { name, labels: labels ?? labelsOf(part), annotations } }, lines)
}

const ownName = (account: string) => `pilothouse:${account}`
const managed: Labels = Object.freeze({ "app.kubernetes.io/managed-by": "pilothouse" })

function componentBinding({ account, role = ownName(account) }: ComponentRole): ClusterRoleBinding {
  const subjects = subjectsOf([`ServiceAccount ${account} kube-system`])
  const metadata = { name: ownName(account), labels: managed, annotations }
  return { kind: "ClusterRoleBinding", apiVersion, metadata, ...subjects, roleRef: { apiGroup: group, kind: "ClusterRole", name: role } }
}

/** Its rules are the clusterrole-aggregation controller's. */
function aggregatedRole(name: string): ClusterRole {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [`${toAggregate}${name}`]: "true" } }] }
  return { kind: "ClusterRole", apiVersion, metadata: { name, labels: labelsOf(aggregatedRoles[name]), annotations }, aggregationRule }
}

function labelsOf(part: string | undefined): Labels {
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
