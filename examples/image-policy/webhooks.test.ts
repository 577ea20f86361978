import { fileURLToPath } from "node:url"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { serveWebhooks } from "@pilothouse/runtime"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { registries, registryVersions } from "./registries.ts"
import { ownRegistry, trustedImages } from "./webhooks.ts"

const labels = { app: "web" }
const web = (image: string): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } } },
})
const imageOf = ({ spec }: Deployment) => spec?.template?.spec?.containers[0]?.image

test("an image without a registry is one of ours", async () => {
  await using c = await cluster({ webhooks: [ownRegistry, trustedImages], controllers: [] })
  expect(imageOf(await c.client.create(deployments, web("web:1")))).toBe("registry.example.com/web:1")
})

test("images of others are refused", async () => {
  await using c = await cluster({ webhooks: [ownRegistry, trustedImages], controllers: [] })
  await expect(c.client.create(deployments, web("docker.io/web:1"))).rejects.toThrow(
    'admission webhook "trusted.images.example.com" denied the request: expected an image of registry.example.com/, found docker.io/web:1',
  )
})

test("the same webhooks over TLS", async () => {
  await using c = await cluster({ time: "real", controllers: [] })
  const { client, clock } = c
  await using _served = await serveWebhooks([ownRegistry, trustedImages], { name: "image-policy", client, clock })
  expect(imageOf(await client.create(deployments, web("web:1")))).toBe("registry.example.com/web:1")
  await expect(
    client.create(deployments, { ...web("docker.io/web:1"), metadata: { name: "other", namespace: "default" } }),
  ).rejects.toThrow("denied the request")
})

test("a registry of an old version is read in the new one", async () => {
  const crds = [fileURLToPath(new URL("registries.yaml", import.meta.url))]
  await using c = await cluster({ crds, webhooks: [registryVersions], controllers: [] })
  const old = { apiVersion: "images.example.com/v1alpha1", kind: "Registry", metadata: { name: "ours" }, spec: { host: "a.example.com" } }
  await c.client.create({ ...registries, version: "v1alpha1" }, old)
  expect((await c.client.get(registries, "ours")).spec).toEqual({ hosts: ["a.example.com"] })
})
