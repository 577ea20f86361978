import type { Node, Taint } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { changesPlacement, isAffected } from "./controller.ts"
import { daemonSet, node } from "./testing/objects.ts"

const plain = node("node-1")
const labelled = node("node-1", { labels: { disk: "ssd" } })
const taint: Taint = { key: "dedicated", effect: "NoSchedule" }
const evicting: Taint = { key: "dedicated", effect: "NoExecute" }

describe("ShouldIgnoreNodeUpdate", () => {
  const bigger: Node = { ...plain, status: { allocatable: { cpu: "8" } } }
  test.each([
    { name: "nothing changed", from: plain, to: plain, expected: false },
    { name: "the labels changed", from: plain, to: labelled, expected: true },
    { name: "the taints changed", from: plain, to: node("node-1", { taints: [taint] }), expected: true },
    { name: "what can be allocated changed", from: plain, to: bigger, expected: false },
  ])("$name", ({ from, to, expected }) => {
    expect(changesPlacement({ type: "updated", old: from, object: to })).toBe(expected)
  })

  test("a node that comes or goes always counts", () => {
    expect(changesPlacement({ type: "added", object: plain })).toBe(true)
  })
})

describe("UpdateNode: a DaemonSet is enqueued", () => {
  const onSsd = daemonSet({ template: { nodeSelector: { disk: "ssd" } } })
  const misplaced = daemonSet({ template: { nodeSelector: { disk: "ssd" } }, status: { numberMisscheduled: 1 } as never })
  test.each([
    { name: "for a node that should have a pod and has none", of: onSsd, on: labelled, scheduled: false, expected: true },
    { name: "not for one that has it", of: onSsd, on: labelled, scheduled: true, expected: false },
    { name: "for one that should have none any more", of: onSsd, on: plain, scheduled: true, expected: true },
    { name: "not for one that never had", of: onSsd, on: plain, scheduled: false, expected: false },
    {
      name: "not for a pod that may stay under a new taint",
      of: daemonSet(),
      on: node("a", { taints: [taint] }),
      scheduled: true,
      expected: false,
    },
    { name: "for a pod that may not", of: daemonSet(), on: node("a", { taints: [evicting] }), scheduled: true, expected: true },
    { name: "when a misplaced pod has its place again", of: misplaced, on: labelled, scheduled: true, expected: true },
    { name: "when the node is gone", of: daemonSet(), on: undefined, scheduled: false, expected: true },
  ])("$name", ({ of, on, scheduled, expected }) => {
    expect(isAffected(of, on, scheduled)).toBe(expected)
  })
})
