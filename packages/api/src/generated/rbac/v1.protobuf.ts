// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
AggregationRule clusterRoleSelectors*meta/v1.LabelSelector
@ClusterRole metadata!meta/v1.ObjectMeta rules+PolicyRule aggregationRule?AggregationRule
@ClusterRoleBinding metadata!meta/v1.ObjectMeta subjects*Subject roleRef!RoleRef
@ClusterRoleBindingList metadata!meta/v1.ListMeta items+ClusterRoleBinding
@ClusterRoleList metadata!meta/v1.ListMeta items+ClusterRole
PolicyRule verbs+ apiGroups* resources* resourceNames* nonResourceURLs*
@Role metadata!meta/v1.ObjectMeta rules+PolicyRule
@RoleBinding metadata!meta/v1.ObjectMeta subjects*Subject roleRef!RoleRef
@RoleBindingList metadata!meta/v1.ListMeta items+RoleBinding
@RoleList metadata!meta/v1.ListMeta items+Role
RoleRef apiGroup! kind! name!
Subject kind! apiGroup. name! namespace.
`
