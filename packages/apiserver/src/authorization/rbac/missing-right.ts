import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from "@pilothouse/api/rbac/v1"
import type { Identity, ResourceAttributes } from "../authorizer.ts"
import { type Binding, BindingIndex } from "./binding-index.ts"
import { ruleAllows } from "./rule-allows.ts"

/** Roles and bindings as they were listed. */
export interface ListedRules {
  readonly clusterRoles: readonly ClusterRole[]
  readonly roles: readonly Role[]
  readonly clusterRoleBindings: readonly ClusterRoleBinding[]
  readonly roleBindings: readonly RoleBinding[]
}

/** A Role or ClusterRole by its kind and name. */
export interface RoleName {
  readonly kind: string
  readonly name: string
}

/** A binding, and the role that it gives. */
export interface BoundRole {
  readonly binding: RoleName
  readonly role: RoleName
  /** False where the role is not there: such a binding gives nothing. */
  readonly exists: boolean
}

/** Why a user may, or may not, do something. */
export interface RightReport {
  /** Roles with a rule that allows the request: those that people bind before those of the system's parts, those of the cluster first, by name. */
  readonly giving: readonly RoleName[]
  /** What bindings give the user where the request is. */
  readonly bound: readonly BoundRole[]
  /** The first binding that gives the right; undefined where none does. */
  readonly by: BoundRole | undefined
}

/** Says which roles have a rule for a request, and which of the bindings of its user gives one of them. */
export function reportRight(who: Identity, what: ResourceAttributes, listed: ListedRules): RightReport {
  const roles = listed.roles.filter(({ metadata }) => metadata.namespace === what.namespace)
  const rulesOf = new Map<string, readonly PolicyRule[]>()
  for (const { metadata, rules } of listed.clusterRoles) rulesOf.set(`ClusterRole ${metadata.name}`, rules ?? [])
  for (const { metadata, rules } of roles) rulesOf.set(`Role ${metadata.name}`, rules ?? [])
  const allows = ({ kind, name }: RoleName) => rulesOf.get(`${kind} ${name}`)?.some((rule) => ruleAllows(rule, what)) === true
  const names = [...rulesOf.keys()].map((key): RoleName => {
    const at = key.indexOf(" ")
    return { kind: key.slice(0, at), name: key.slice(at + 1) }
  })
  const bindings = new BindingIndex()
  for (const binding of [...listed.clusterRoleBindings, ...listed.roleBindings]) bindings.add(binding)
  const bound = bindings.of(who, what.namespace).map((binding) => boundRole(binding, rulesOf))
  return {
    giving: names.filter(allows).toSorted((one, other) => compare(one, other)),
    bound,
    by: bound.find(({ role }) => allows(role)),
  }
}

function boundRole({ metadata, roleRef }: Binding, rulesOf: ReadonlyMap<string, unknown>): BoundRole {
  const { namespace = "", name = "" } = metadata
  const binding = { kind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding", name }
  const role = { kind: roleRef.kind, name: roleRef.name }
  return { binding, role, exists: rulesOf.has(`${role.kind} ${role.name}`) }
}

function compare(one: RoleName, other: RoleName): number {
  const [of, than] = [one, other].map(({ kind, name }) => `${name.startsWith("system:") ? 1 : 0}${kind === "ClusterRole" ? 0 : 1}${name}`)
  return of! < than! ? -1 : 1
}
