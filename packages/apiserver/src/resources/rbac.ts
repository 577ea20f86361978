import { checkPathSegmentName, deepEqual, type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { RoleBinding, RoleRef } from "@pilothouse/api/rbac/v1"
import type { Draft } from "../draft.ts"
import type { Special } from "./resource.ts"

const group = "rbac.authorization.k8s.io"

/** Names of roles are words such as "system:node". */
export const role: Special = { names: checkPathSegmentName, createOnUpdate: true }

type Binding = KubeObject & Pick<RoleBinding, "roleRef" | "subjects">

export const roleBinding: Special<Binding> = {
  names: checkPathSegmentName,
  createOnUpdate: true,
  defaults({ roleRef, subjects = [] }: Draft<Binding>) {
    if (roleRef !== undefined && (roleRef.apiGroup ?? "") === "") roleRef.apiGroup = group
    for (const subject of subjects) if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ??= group
  },
  validate: ({ roleRef }) => ((roleRef?.name ?? "") === "" ? [fieldError.required("roleRef.name")] : []),
  validateUpdate: (object, old) => roleErrors(object.roleRef, old.roleRef),
}

/** Who may use a binding was decided when it was made; another role is another binding. */
function roleErrors(ref: RoleRef, old: RoleRef): readonly FieldError[] {
  return deepEqual(ref, old) ? [] : [fieldError.invalid("roleRef", ref, "cannot change roleRef")]
}
