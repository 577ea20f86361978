import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" }, annotations: { "pilothouse.dev/ready-delay": "20s" } },
      spec: { containers: [{ name: "web", image: "example/web:1" }] },
    },
  },
}

test("a Deployment is available once its pods are ready, and not before", async () => {
  await using c = await cluster({ nodes: 2, controllers: ["deployment", "replicaset"] })
  await c.apply(web)
  await c.advance("19s")
  expect((await c.client.get(deployments, "default/web")).status?.availableReplicas).toBeUndefined()
  await c.advance("2s")
  expect((await c.client.get(deployments, "default/web")).status?.availableReplicas).toBe(3)
  expect(await c.list(pods, { namespace: "default" })).toHaveLength(3)
})
