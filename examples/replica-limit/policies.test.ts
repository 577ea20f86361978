import { join } from "node:path"
import type { KubeObject } from "@pilothouse/api"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { readManifests } from "@pilothouse/runtime/manifests"
import { systemFiles } from "@pilothouse/seams/system"
import { type Cluster, cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"

const policies = readManifests(systemFiles, join(import.meta.dirname, "policies.yaml")).map(({ object }) => object)
const shop = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "sales" } } }
const limits: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "limits", namespace: "shop" },
  data: { replicas: "3" },
} as KubeObject

const labels = { app: "web" }
const web = (namespace: string, replicas: number): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace },
  spec: {
    replicas,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
  },
})

async function guarded(): Promise<Cluster> {
  const c = await cluster({ controllers: [] })
  await c.apply([shop, limits, ...policies])
  return c
}

test("a Deployment with more replicas than the limit is refused", async () => {
  await using c = await guarded()
  await expect(c.client.create(deployments, web("shop", 4))).rejects.toThrow("expected at most 3 replicas, found 4")
})

test("one that is scaled beyond the limit is refused too", async () => {
  await using c = await guarded()
  await c.client.create(deployments, web("shop", 3))
  await expect(c.client.setScale(deployments, "shop/web", 9)).rejects.toThrow("expected at most 3 replicas, found 9")
})

test("one within the limit is created, with the label of its team", async () => {
  await using c = await guarded()
  const { metadata } = await c.client.create(deployments, web("shop", 3))
  expect(metadata.labels).toEqual({ team: "sales" })
})

test("a namespace without a limit takes any number", async () => {
  await using c = await guarded()
  expect((await c.client.create(deployments, web("default", 40))).spec?.replicas).toBe(40)
})
