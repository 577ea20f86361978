import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type Deployment, deployments } from "@pilothouse/api/apps/v1"
import { events } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test, vi } from "vitest"
import { nightSleeper } from "./controller.ts"

const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "example/web:1" }] } },
  },
}

async function replicas(c: Cluster): Promise<number | undefined> {
  return (await c.client.get(deployments, "default/web")).spec?.replicas
}

const options = { start: "2026-01-05T23:30:00Z", nodes: 0, controllers: [], extra: [nightSleeper] }

test("a Deployment sleeps at night and has its replicas back in the morning", async () => {
  await using c = await cluster(options)
  await c.apply(web)
  await c.settled()
  expect(await replicas(c)).toBe(3)
  await c.advance("1h")
  expect(await replicas(c)).toBe(0)
  await c.advance("6h")
  expect(await replicas(c)).toBe(3)
  expect(await c.list(events)).toContainEqual(expect.objectContaining({ reason: "WokenUp", message: "Woken up with 3 replicas" }))
})

test("a Deployment that slept before stays as it was", async () => {
  await using c = await cluster(options)
  await c.apply({ ...web, spec: { ...web.spec!, replicas: 0 } })
  await c.advance("24h")
  expect(await replicas(c)).toBe(0)
})

test("a crash at any API call changes nothing in the end", async () => {
  await crashPoints({
    cluster: options,
    async run(c) {
      await c.apply(web)
      await c.advance("40m")
    },
  })
}, 300_000)

test("the program prints what happens and ends, and the guide shows it", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => {})
  await import("./main.ts")
  const told = print.mock.calls.map(([line]) => `${line}\n`).join("")
  print.mockRestore()
  const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/write-a-controller.md"), "utf8")
  expect(/\$ npm run example night-sleeper\n(.*?)```/s.exec(guide)?.[1]).toBe(told)
})
