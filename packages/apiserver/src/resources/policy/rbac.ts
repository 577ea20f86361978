import { checkPathSegmentName, deepEqual, type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { PolicyRule, Role, RoleBinding, RoleRef, Subject } from "@pilothouse/api/rbac/v1"
import type { Draft } from "../../body/draft.ts"
import type { ResourceStrategy } from "../resource.ts"

const group = "rbac.authorization.k8s.io"

type AnyRole = KubeObject & Pick<Role, "rules">

/** Names of roles are words such as "system:node". */
export const role: ResourceStrategy<AnyRole> = {
  names: checkPathSegmentName,
  createOnUpdate: true,
  validate: ({ rules = [] }) => (rules ?? []).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`)),
}

function ruleErrors(
  { verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] }: PolicyRule,
  field: string,
): readonly FieldError[] {
  if (verbs.length === 0) return [fieldError.required(`${field}.verbs`, "verbs must contain at least one value")]
  if (nonResourceURLs.length > 0) return []
  return [
    ...(apiGroups.length === 0 ? [fieldError.required(`${field}.apiGroups`, "resource rules must supply at least one api group")] : []),
    ...(resources.length === 0 ? [fieldError.required(`${field}.resources`, "resource rules must supply at least one resource")] : []),
  ]
}

type Binding = KubeObject & Pick<RoleBinding, "roleRef" | "subjects">

export const roleBinding: ResourceStrategy<Binding> = {
  names: checkPathSegmentName,
  createOnUpdate: true,
  defaults({ roleRef, subjects = [] }: Draft<Binding>) {
    if (roleRef !== undefined && (roleRef.apiGroup ?? "") === "") roleRef.apiGroup = group
    for (const subject of subjects) if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ??= group
  },
  validate: (object) => [
    ...refErrors(object),
    ...(object.subjects ?? []).flatMap((subject, index) => subjectErrors(subject, `subjects[${index}]`)),
  ],
  validateUpdate: (object, old) => roleErrors(object.roleRef, old.roleRef),
}

/** A binding of a namespace may also name the cluster's roles. */
function refErrors({ roleRef, metadata }: Binding): readonly FieldError[] {
  const kinds = metadata.namespace === undefined ? ["ClusterRole"] : ["Role", "ClusterRole"]
  const { kind = "", name = "" }: Partial<RoleRef> = roleRef ?? {}
  return [
    ...(kinds.includes(kind) ? [] : [fieldError.notSupported("roleRef.kind", kind, kinds)]),
    ...(name === ""
      ? [fieldError.required("roleRef.name")]
      : checkPathSegmentName(name).map((text) => fieldError.invalid("roleRef.name", name, text))),
  ]
}

function subjectErrors({ kind = "", name = "" }: Partial<Subject>, field: string): readonly FieldError[] {
  const kinds = ["ServiceAccount", "User", "Group"]
  return [
    ...(name === "" ? [fieldError.required(`${field}.name`)] : []),
    ...(kinds.includes(kind) ? [] : [fieldError.notSupported(`${field}.kind`, kind, kinds)]),
  ]
}

/** Who may use a binding was decided when it was made; another role is another binding. */
function roleErrors(ref: RoleRef, old: RoleRef): readonly FieldError[] {
  return deepEqual(ref, old) ? [] : [fieldError.invalid("roleRef", inGo(ref), "cannot change roleRef")]
}

/** As Go has it in memory. */
function inGo({ apiGroup, kind, name }: RoleRef): unknown {
  return { APIGroup: apiGroup, Kind: kind, Name: name }
}
