// Written by `npm run generate` (tools/generate/descriptors.ts).
import { descriptorFromRow } from "../../schema/descriptor-rows.ts"
import type { Descriptor } from "../../schema/descriptor.ts"
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from "./v1.types.ts"

export type * from "./v1.types.ts"

export const clusterRoleBindings: Descriptor<ClusterRoleBinding> = descriptorFromRow("rbac.authorization.k8s.io/v1 ClusterRoleBinding clusterrolebindings clusterrolebinding   c cdDglpuw")
export const clusterRoles: Descriptor<ClusterRole> = descriptorFromRow("rbac.authorization.k8s.io/v1 ClusterRole clusterroles clusterrole   c cdDglpuw")
export const roleBindings: Descriptor<RoleBinding> = descriptorFromRow("rbac.authorization.k8s.io/v1 RoleBinding rolebindings rolebinding   n cdDglpuw")
export const roles: Descriptor<Role> = descriptorFromRow("rbac.authorization.k8s.io/v1 Role roles role   n cdDglpuw")
