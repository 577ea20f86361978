import type { Pod } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { aPod } from "@pilothouse/testing/builders"
import { expect, test } from "vitest"
import { unreadyPodLines } from "./unready-pods.ts"

function pod(name: string, more: Partial<Pod["spec"]> = {}, image = "example/web"): Pod {
  const resources = { requests: { cpu: "900" } }
  const containers = [{ name: "web", image, ...(image === "big" && { resources }) }]
  return aPod(name, { spec: { containers, ...more } })
}

const tooBig = "on no node: 0/1 nodes are available: 1 Insufficient cpu."

test("lists each reason once, with its pods; leaves out those that are ready or have succeeded", async () => {
  await using running = await cluster({ controllers: ["node-lifecycle-controller"], nodes: 1 })
  const gated = pod("gated", { schedulingGates: [{ name: "example.com/g" }] })
  const done = pod("done", { restartPolicy: "Never" })
  const made = [pod("fine"), pod("a", {}, "big"), pod("b", {}, "big"), pod("c", {}, "big"), gated, done]
  for (const one of made) await running.apply(one)
  await running.advance("10s")
  const names = made.map(({ metadata }) => metadata.name!)
  const lines = await unreadyPodLines(running.client, "default", [...names, "of-another"], { now: running.clock.now() })
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^a, b and 1 more: ${tooBig.slice(0, 40)}`)),
    "gated: on no node: it is not scheduled before its scheduling gates are taken away (example.com/g)",
  ])
})

test("no more than five reasons, and how many are left", async () => {
  await using running = await cluster({ controllers: [], nodes: 1 })
  const names = ["a", "b", "c", "d", "e", "f", "g"]
  for (const name of names) await running.apply(pod(name, { schedulingGates: [{ name: `example.com/${name}` }] }))
  const lines = await unreadyPodLines(running.client, "default", names, { now: running.clock.now() })
  expect(lines).toHaveLength(6)
  expect(lines.at(-1)).toBe("and 2 more pods that are not ready")
})

test("sends no request where there are no pods", async () => {
  expect(await unreadyPodLines({} as never, "default", [], { now: 0 })).toEqual([])
})
