import { type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { sectionsOf } from "../answer/sections.ts"

test("a quota at its limit says which resource is used up, however the amounts are written", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  const quota: ResourceQuota = {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q", namespace: "default" },
    status: {
      hard: { pods: "2", "requests.cpu": "1", secrets: "5", services: "3" },
      used: { pods: "2", "requests.cpu": "1000m", secrets: "4" },
    },
  }
  const sections = await sectionsOf(running.client, resourceQuotas, quota, { now: 0 })
  const rest = "whatever needs more is refused until something goes or the limit is raised"
  expect(sections.find(({ title }) => title === "Limits")?.lines).toEqual([
    `pods is used up: 2 of 2; ${rest}`,
    `requests.cpu is used up: 1000m of 1; ${rest}`,
  ])
})
