import { namespaces, pods } from "@pilothouse/api/core/v1"
import { clusterRoles, roleBindings } from "@pilothouse/api/rbac/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import type { TracedReconcile } from "../trace.ts"
import { refusalLines, refusedRequestIn } from "./refused-requests.ts"

const robot = "system:serviceaccount:shop:robot"
const cannotCreate = `pods is forbidden: User "${robot}" cannot create resource "pods" in API group "" in the namespace "shop"`

test.each([
  [cannotCreate, { user: robot, verb: "create", group: "", resource: "pods", subresource: "", namespace: "shop", name: "" }],
  [
    'deployments.apps "web" is forbidden: User "jane" cannot patch resource "deployments/scale" in API group "apps" in the namespace "a": why',
    { user: "jane", verb: "patch", group: "apps", resource: "deployments", subresource: "scale", namespace: "a", name: "web" },
  ],
  [
    'could not list: nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope',
    { user: "jane", verb: "list", group: "", resource: "nodes", subresource: "", namespace: "", name: "" },
  ],
  ['pods "web" is forbidden: exceeded quota: all, requested: pods=1', undefined],
])("%s", (text, expected) => {
  expect(refusedRequestIn(text)).toEqual(expected)
})

const failed = (error: string): TracedReconcile => ({
  at: "2026-01-01T00:00:00Z",
  controller: "c",
  key: "shop/web",
  causes: [],
  observed: [],
  lines: [],
  error,
})

test("a refused write names the right, the roles that have it, and what its user is bound to", async () => {
  await using running = await cluster({ controllers: [], nodes: 0, rbac: true })
  const { client } = running
  const apiVersion = "rbac.authorization.k8s.io/v1"
  await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } })
  await client.create(roleBindings, {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: "readers", namespace: "shop" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "shop" }],
  })
  const as = running.as({ name: robot, groups: ["system:serviceaccounts", "system:authenticated"] })
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "shop" }, spec: { containers: [] } } as const
  const error = await as.create(pods, pod).catch(String)
  const [line] = await refusalLines(client, [failed(String(error)), failed(String(error))])
  expect(line).toMatch(/^needs: create pods in shop; ClusterRole cluster-admin, ClusterRole system:aggregate-to-edit, /)
  expect(line).toContain(`give it; no binding gives it: ${robot} has `)
  expect(line).toContain("ClusterRole view")
  await client.create(roleBindings, {
    apiVersion,
    kind: "RoleBinding",
    metadata: { name: "editors", namespace: "shop" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:aggregate-to-edit" },
    subjects: [{ kind: "Group", name: "system:serviceaccounts:shop", apiGroup: "rbac.authorization.k8s.io" }],
  })
  expect(await refusalLines(client, [failed(String(error))])).toEqual([
    `needs: create pods in shop; RoleBinding editors gives it to ${robot} by now, with ClusterRole system:aggregate-to-edit`,
  ])
})

test("a right that no role gives, and a binding of a role that is not there", async () => {
  await using running = await cluster({ controllers: [], nodes: 0, rbac: true })
  await running.client.create(roleBindings, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: "lost", namespace: "default" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "gone" },
    subjects: [{ kind: "User", name: "jane", apiGroup: "rbac.authorization.k8s.io" }],
  })
  await running.client.delete(clusterRoles, "cluster-admin").catch(() => undefined)
  const text = 'x is forbidden: User "jane" cannot juggle resource "balls" in API group "toys" in the namespace "default"'
  const [line] = await refusalLines(running.client, [failed(text)])
  expect(line).toMatch(/^needs: juggle balls\.toys in default; .*no binding gives it: jane has .*Role gone/)
  expect(line).toContain("not there: Role gone")
  expect(await refusalLines(running.client, [failed("the server is away")])).toEqual([])
})
