import type { ClusterRoleBinding, RoleBinding, Subject } from "@pilothouse/api/rbac/v1"
import { ageColumn, nameColumn, text, wide } from "../columns/column.ts"
import { type Printer, printer } from "../columns/printer.ts"

type Binding = RoleBinding | ClusterRoleBinding

const binding = printer<Binding>(
  nameColumn,
  text("Role", ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  wide(text("Users", (object) => subjectsText(object, "User", ({ name }) => name))),
  wide(text("Groups", (object) => subjectsText(object, "Group", ({ name }) => name))),
  wide(text("ServiceAccounts", (object) => subjectsText(object, "ServiceAccount", ({ name, namespace }) => `${namespace ?? ""}/${name}`))),
)

function subjectsText({ subjects = [] }: Binding, kind: string, nameOf: (subject: Subject) => string): string {
  return subjects
    .filter((subject) => subject.kind === kind)
    .map(nameOf)
    .join(", ")
}

export const rbacPrinters: Readonly<Record<string, Printer<never>>> = {
  "rbac.authorization.k8s.io/ClusterRoleBinding": binding,
  "rbac.authorization.k8s.io/RoleBinding": binding,
}
