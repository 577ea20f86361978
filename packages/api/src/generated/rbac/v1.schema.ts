// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `rbac.authorization.k8s.io/v1 io.k8s.api.rbac.v1
AggregationRule: clusterRoleSelectors:[.LabelSelector
ClusterRole: @ aggregationRule:AggregationRule metadata:.ObjectMeta= rules:[PolicyRule
ClusterRoleBinding: @ metadata:.ObjectMeta= roleRef*:RoleRef= subjects:[Subject
ClusterRoleBindingList: @ items*:]ClusterRoleBinding metadata:.ListMeta=
ClusterRoleList: @ items*:]ClusterRole metadata:.ListMeta=
PolicyRule: apiGroups:[s nonResourceURLs:[s resourceNames:[s resources:[s verbs*:[s
Role: @ metadata:.ObjectMeta= rules:[PolicyRule
RoleBinding: @ metadata:.ObjectMeta= roleRef*:RoleRef= subjects:[Subject
RoleBindingList: @ items*:]RoleBinding metadata:.ListMeta=
RoleList: @ items*:]Role metadata:.ListMeta=
RoleRef: ! apiGroup:s= kind*:s= name*:s=
Subject: ! apiGroup:s kind*:s= name*:s= namespace:s
`
