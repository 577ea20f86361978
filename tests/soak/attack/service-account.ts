import type { Attempt } from "./row.ts"

/** A token of a new service account that has a ClusterRole in its namespace. Administrators are not limited, as with kube-apiserver. */
export async function serviceAccountToken({ admin, expectStatus }: Attempt, role: string): Promise<string> {
  const [namespace, name] = ["default", `robot-${role}`]
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`
  expectStatus("a service account", await admin.create(accounts, { metadata: { name } }), 201)
  const bound = await admin.create(`/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  })
  expectStatus("its binding", bound, 201)
  const { text } = await admin.create(`${accounts}/${name}/token`, { spec: {} })
  return JSON.parse(text).status.token
}
