import { type ClusterRole, clusterRoles, type PolicyRule } from "@pilothouse/api/rbac/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"

const only = { nodes: 0, controllers: ["clusterrole-aggregation"] }
const rule = (resource: string): PolicyRule => ({ verbs: ["get"], apiGroups: ["shop.example"], resources: [resource] })
const role = (name: string, label: string, ...resources: readonly string[]): ClusterRole => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name, labels: { [label]: "true" } },
  rules: resources.map(rule),
})
const combined: ClusterRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "combined" },
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: "true" } }] },
}

test("a role follows its parts", async () => {
  await using running = await cluster(only)
  const resources = async () => (await running.client.get(clusterRoles, "combined")).rules?.flatMap((one) => one.resources ?? [])
  await running.apply([combined, role("b", "part", "orders"), role("a", "part", "carts"), role("c", "other", "secrets")])
  await running.settled()
  expect(await resources()).toEqual(["carts", "orders"])
  await running.client.patch(clusterRoles, "a", { rules: [rule("baskets")] })
  await running.client.patch(clusterRoles, "c", { metadata: { labels: { part: "true" } } })
  await running.settled()
  expect(await resources()).toEqual(["baskets", "orders", "secrets"])
  await running.client.delete(clusterRoles, "b")
  await running.client.patch(clusterRoles, "combined", { rules: [rule("everything")] })
  await running.settled()
  expect(await resources()).toEqual(["baskets", "secrets"])
})

test("with RBAC admin has the rules of edit, and edit those of view", async () => {
  await using running = await cluster({ ...only, rbac: true, managedFields: true })
  await running.settled()
  const [admin, edit, view] = await Promise.all(["admin", "edit", "view"].map((name) => running.client.get(clusterRoles, name)))
  const texts = (of: ClusterRole | undefined) => (of?.rules ?? []).map((one) => JSON.stringify(one))
  expect(texts(edit)).toEqual(expect.arrayContaining(texts(view)))
  expect(texts(admin)).toEqual(expect.arrayContaining(texts(edit)))
  expect(texts(view).length).toBeGreaterThan(10)
  expect(view?.metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: "clusterrole-aggregation-controller", operation: "Apply" }),
  )
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply([combined, role("a", "part", "carts")])
        await running.advance("30s")
        await running.client.patch(clusterRoles, "a", { rules: [rule("baskets")] })
        await running.advance("60s")
      },
    },
    { sample: 6, seed: 3, writers: ["clusterrole-aggregation-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
