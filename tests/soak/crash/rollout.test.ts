import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { afterAll, expect, test } from "vitest"
import { killableCluster, until } from "./cluster.ts"

const folder = mkdtempSync(join(tmpdir(), "pilothouse-rollout-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const deployment: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: 40,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

test("kill -9 in the middle of a rollout, and up again: it goes on to the same end", async () => {
  const directory = join(folder, "data")
  const first = await killableCluster(directory)
  const before = (await first.client.list(nodes)).items.map(({ metadata }) => [metadata.name, metadata.uid])
  await first.client.create(deployments, deployment)
  await until(async () => (await first.client.list(pods)).items.length >= 5, "a few pods")
  expect(await first.end("SIGKILL")).toBe("SIGKILL")

  const second = await killableCluster(directory)
  expect((await second.client.list(nodes)).items.map(({ metadata }) => [metadata.name, metadata.uid])).toEqual(before)
  await until(async () => {
    const web = await second.client.get(deployments, "default/web")
    return web?.status?.readyReplicas === 40 && web.status.observedGeneration === web.metadata.generation
  }, "40 ready pods")
  const all = (await second.client.list(pods)).items
  expect([all.length, new Set(all.map(({ status }) => status?.podIP)).size]).toEqual([40, 40])
  expect(await second.end("SIGTERM")).toBe(0)
})
