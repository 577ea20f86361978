import { join } from "node:path"
import { deployments } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { type Cluster, cluster, crashPoints } from "@pilothouse/testing"
import { expect, test, vi } from "vitest"
import { websiteOperator } from "./controller.ts"
import { type Website, websites } from "./websites.ts"

const crds = [join(import.meta.dirname, "crds")]

const blog: Website = {
  apiVersion: "example.com/v1",
  kind: "Website",
  metadata: { name: "blog", namespace: "default" },
  spec: { image: "example/blog:1", replicas: 2 },
}

test("a Website becomes a Deployment, and its status counts the pods that are ready", async () => {
  await using c = await cluster({ crds, extra: [websiteOperator] })
  await c.apply(blog)
  await c.until(async () => (await c.client.get(websites, blog)).status?.ready === 2)
  await c.client.patch(websites, blog, { spec: { replicas: 0 } })
  await c.until(async () => (await c.client.get(websites, blog)).status?.ready === 0)
  expect((await c.client.get(deployments, "default/blog")).spec?.replicas).toBe(0)
})

test("the schema refuses what is no Website, and sets the number of pods where none is given", async () => {
  await using c = await cluster({ crds, controllers: [] })
  await expect(c.apply({ ...blog, spec: { image: "example/blog:1", replicas: -1 } })).rejects.toThrow(
    'Website.example.com "blog" is invalid: spec.replicas: Invalid value: -1: spec.replicas in body should be greater than or equal to 0',
  )
  const made = await c.apply({ ...blog, spec: { image: "example/blog:1" } } as Website)
  expect(made.spec.replicas).toBe(1)
})

test("everything goes with the Website", async () => {
  await using c = await cluster({ crds, extra: [websiteOperator] })
  await c.apply(blog)
  await c.until(async () => (await c.list(pods)).length === 2)
  await c.client.delete(websites, blog)
  await c.advance("1m")
  expect([await c.list(deployments), await c.list(pods)]).toEqual([[], []])
})

test("a crash at an API call changes nothing in the end", async () => {
  const scenario = {
    cluster: { crds, controllers: [], nodes: 0, extra: [websiteOperator] },
    async run(c: Cluster) {
      await c.apply(blog)
      await c.advance("1m")
    },
  }
  expect((await crashPoints(scenario, { sample: 10 })).writers).toContain("website-operator")
})

test("the program prints what happens and ends", async () => {
  const print = vi.spyOn(console, "log").mockImplementation(() => {})
  await import("./main.ts")
  const lines = print.mock.calls.map(([line]) => String(line))
  print.mockRestore()
  expect(lines).toContain(
    "09:00 website-operator default/blog: apply Deployment default/blog, because the Deployment is not what the Website says: done",
  )
  expect(lines.at(-1)).toBe("0 pods are left")
})
