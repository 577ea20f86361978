import { type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { namespaceWaitLines } from "./namespace-wait.ts"
import { sectionsOf } from "./sections.ts"
import type { TracedLook } from "./trace.ts"

const going: Namespace = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "going", deletionTimestamp: "2026-01-05T09:00:00Z" },
}
const deleted = Date.parse("2026-01-05T09:00:00Z")
const loops = ["namespace-controller"]

function look(controller: string, at: string): TracedLook {
  return { at, controller, key: "going", causes: [], observed: [], words: [] }
}

test("a namespace that was just deleted did not say what it waits for", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  await running.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "going" } })
  await running.client.delete(namespaces, "going")
  const object = await running.client.get(namespaces, "going")
  const sections = await sectionsOf(running.client, namespaces, object, { now: running.clock.now(), loops })
  expect(sections.find(({ title }) => title === "Deletion")?.lines).toEqual([
    "asked for 0s ago",
    expect.stringMatching(/^namespace-controller begins to empty it (in \d+s|any moment): first every API server has to have seen/),
  ])
})

test("when the time is over it begins any moment", () => {
  expect(namespaceWaitLines(going, { now: deleted + 600_000, loops })[0]).toContain("begins to empty it any moment")
})

test("once the loop has looked since, it has words of its own", () => {
  const looks = [look("namespace-controller", "2026-01-05T09:00:05.100000Z")]
  expect(namespaceWaitLines(going, { now: deleted + 6000, loops, looks })).toEqual([])
  const others = [look("serviceaccount-controller", "2026-01-05T09:00:05.100000Z")]
  expect(namespaceWaitLines(going, { now: deleted + 6000, loops, looks: others })).toHaveLength(1)
})

test("where the loop does not run nobody empties it, and elsewhere nobody knows", () => {
  expect(namespaceWaitLines(going, { now: deleted, loops: ["other"] })).toEqual([
    "namespace-controller does not run here: nobody empties it, so that it stays",
  ])
  expect(namespaceWaitLines(going, { now: deleted })).toEqual([])
  expect(namespaceWaitLines({ ...going, metadata: { name: "going" } }, { now: deleted, loops })).toEqual([])
})
