import { checkDns1123Subdomain, checkPathSegmentName, deepEqual, type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { ClusterRole, PolicyRule, RoleBinding, RoleRef, Subject } from "@pilothouse/api/rbac/v1"
import type { Draft } from "../../body/draft.ts"
import { validateLabelSelector } from "../../validation/label-selector.ts"
import type { ResourceStrategy } from "../resource.ts"

const group = "rbac.authorization.k8s.io"

type AnyRole = KubeObject & Pick<ClusterRole, "rules" | "aggregationRule">

/** Of Roles and ClusterRoles. Their names are words such as "system:node". */
export const role: ResourceStrategy<AnyRole> = {
  names: checkPathSegmentName,
  createOnUpdate: true,
  validate: ({ rules, aggregationRule, metadata }) => [
    ...(rules ?? []).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, metadata.namespace !== undefined)),
    ...(aggregationRule === undefined ? [] : aggregationErrors(aggregationRule)),
  ],
}

function ruleErrors(
  { verbs = [], apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule,
  field: string,
  namespaced: boolean,
): readonly FieldError[] {
  const verbErrors = verbs.length === 0 ? [fieldError.required(`${field}.verbs`, "verbs must contain at least one value")] : []
  if (nonResourceURLs.length === 0) {
    return [
      ...verbErrors,
      ...(apiGroups.length === 0 ? [fieldError.required(`${field}.apiGroups`, "resource rules must supply at least one api group")] : []),
      ...(resources.length === 0 ? [fieldError.required(`${field}.resources`, "resource rules must supply at least one resource")] : []),
    ]
  }
  const invalid = (text: string) => fieldError.invalid(`${field}.nonResourceURLs`, nonResourceURLs, text)
  const mixed = apiGroups.length + resources.length + resourceNames.length > 0
  return [
    ...verbErrors,
    ...(namespaced ? [invalid("namespaced rules cannot apply to non-resource URLs")] : []),
    ...(mixed ? [invalid("rules cannot apply to both regular resources and non-resource URLs")] : []),
  ]
}

function aggregationErrors({ clusterRoleSelectors = [] }: NonNullable<ClusterRole["aggregationRule"]>): readonly FieldError[] {
  const field = "aggregationRule.clusterRoleSelectors"
  const text = "at least one clusterRoleSelector required if aggregationRule is non-nil"
  if (clusterRoleSelectors.length === 0) return [fieldError.required(field, text)]
  return clusterRoleSelectors.flatMap((selector, index) => validateLabelSelector(selector, `${field}[${index}]`))
}

type Binding = KubeObject & Pick<RoleBinding, "roleRef" | "subjects">

/** Of RoleBindings and ClusterRoleBindings. */
export const roleBinding: ResourceStrategy<Binding> = {
  names: checkPathSegmentName,
  createOnUpdate: true,
  defaults({ roleRef, subjects = [] }: Draft<Binding>) {
    if (roleRef !== undefined && (roleRef.apiGroup ?? "") === "") roleRef.apiGroup = group
    for (const subject of subjects) if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ||= group
  },
  validate: (object) => [
    ...refErrors(object),
    ...(object.subjects ?? []).flatMap((subject, index) =>
      subjectErrors(subject, `subjects[${index}]`, object.metadata.namespace !== undefined),
    ),
  ],
  validateUpdate: (object, old) => roleErrors(object.roleRef, old.roleRef),
}

/** A binding of a namespace may also name the cluster's roles. */
function refErrors({ roleRef, metadata }: Binding): readonly FieldError[] {
  const kinds = metadata.namespace === undefined ? ["ClusterRole"] : ["Role", "ClusterRole"]
  const { apiGroup = "", kind = "", name = "" }: Partial<RoleRef> = roleRef ?? {}
  return [
    // A binding without any roleRef has none to default.
    ...(roleRef === undefined || apiGroup === group ? [] : [fieldError.notSupported("roleRef.apiGroup", apiGroup, [group])]),
    ...(kinds.includes(kind) ? [] : [fieldError.notSupported("roleRef.kind", kind, kinds)]),
    ...(name === ""
      ? [fieldError.required("roleRef.name")]
      : checkPathSegmentName(name).map((text) => fieldError.invalid("roleRef.name", name, text))),
  ]
}

function subjectErrors(subject: Partial<Subject>, field: string, namespaced: boolean): readonly FieldError[] {
  const { kind = "", name = "", apiGroup = "" } = subject
  const kinds = ["ServiceAccount", "User", "Group"]
  const named = name === "" ? [fieldError.required(`${field}.name`)] : []
  if (!kinds.includes(kind)) return [...named, fieldError.notSupported(`${field}.kind`, kind, kinds)]
  if (kind === "ServiceAccount") return [...named, ...accountErrors(subject, field, namespaced)]
  return apiGroup === group ? named : [...named, fieldError.notSupported(`${field}.apiGroup`, apiGroup, [group])]
}

/** In a RoleBinding its namespace may be left out: it is that of the binding. */
function accountErrors(
  { name = "", apiGroup = "", namespace = "" }: Partial<Subject>,
  field: string,
  namespaced: boolean,
): readonly FieldError[] {
  return [
    ...(name === "" ? [] : checkDns1123Subdomain(name).map((text) => fieldError.invalid(`${field}.name`, name, text))),
    ...(apiGroup === "" ? [] : [fieldError.notSupported(`${field}.apiGroup`, apiGroup, [""])]),
    ...(namespaced || namespace !== "" ? [] : [fieldError.required(`${field}.namespace`)]),
  ]
}

/** The right to bind a role was checked when the binding was created; another role needs another binding. */
function roleErrors(ref: RoleRef, old: RoleRef): readonly FieldError[] {
  return deepEqual(ref, old) ? [] : [fieldError.invalid("roleRef", inGo(ref), "cannot change roleRef")]
}

/** As Go has it in memory. */
function inGo({ apiGroup, kind, name }: RoleRef): unknown {
  return { APIGroup: apiGroup, Kind: kind, Name: name }
}
