// RBAC from its manual, without the code of the product: what it allows, the server must allow, and nothing else.

export interface ModelRule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
}

export interface ModelSubject {
  readonly kind: "User" | "Group" | "ServiceAccount"
  readonly name: string
  readonly namespace?: string
}

export interface ModelBinding {
  /** "" for one of the cluster. */
  readonly namespace: string
  readonly role: { readonly kind: "Role" | "ClusterRole"; readonly name: string }
  readonly subjects: readonly ModelSubject[]
}

export interface ModelUser {
  readonly name: string
  readonly groups: readonly string[]
}

/** "deployments/scale" is a resource with its subresource. */
export interface ModelRequest {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Roles by "namespace/name", ClusterRoles by "/name". */
export interface Model {
  readonly roles: Map<string, readonly ModelRule[]>
  readonly bindings: Map<string, ModelBinding>
}

/** Visits every binding: slow, and so simple that it can be read against the manual. */
export function isAllowed({ roles, bindings }: Model, user: ModelUser, request: ModelRequest): boolean {
  for (const { namespace, role, subjects } of bindings.values()) {
    if (namespace !== "" && namespace !== request.namespace) continue
    if (!subjects.some((subject) => isSubject(subject, user))) continue
    const rules = roles.get(role.kind === "Role" ? `${namespace}/${role.name}` : `/${role.name}`) ?? []
    if (rules.some((rule) => gives(rule, request))) return true
  }
  return false
}

function isSubject({ kind, name, namespace }: ModelSubject, user: ModelUser): boolean {
  if (kind === "Group") return user.groups.includes(name)
  return user.name === (kind === "User" ? name : `system:serviceaccount:${namespace}:${name}`)
}

function gives({ verbs, apiGroups, resources, resourceNames = [] }: ModelRule, { verb, group, resource, name }: ModelRequest): boolean {
  const [, subresource] = resource.split("/")
  const every = subresource === undefined ? "*" : `*/${subresource}`
  const isResource = resources.includes(resource) || resources.includes("*") || resources.includes(every)
  const isNamed = resourceNames.length === 0 || resourceNames.includes(name)
  return isResource && isNamed && (verbs.includes(verb) || verbs.includes("*")) && (apiGroups.includes(group) || apiGroups.includes("*"))
}
