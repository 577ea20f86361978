import type { Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { podsToDelete } from "./pods-to-delete.ts"
import { namesOf, now, pod } from "./testing/objects.ts"

/** Both alike but for what the row says; the second of the two was there first. */
interface Pair {
  readonly name: string
  readonly goes: Pod
  readonly stays: Pod
}

const pairs: readonly Pair[] = [
  { name: "scheduled vs unscheduled", goes: pod("goes", { node: "", phase: "Pending" }), stays: pod("stays", { phase: "Pending" }) },
  { name: "unscheduled goes whatever else", goes: pod("goes", { node: "", cost: "100" }), stays: pod("stays", { phase: "Pending" }) },
  { name: "pending vs running", goes: pod("goes", { phase: "Pending" }), stays: pod("stays", { ready: false }) },
  { name: "unknown vs running", goes: pod("goes", { phase: "Unknown" }), stays: pod("stays", { ready: false }) },
  { name: "pending vs unknown", goes: pod("goes", { phase: "Pending" }), stays: pod("stays", { phase: "Unknown" }) },
  { name: "ready vs not-ready", goes: pod("goes", { ready: false }), stays: pod("stays") },
  { name: "lower deletion cost vs higher", goes: pod("goes", { cost: "-5" }), stays: pod("stays", { cost: "5" }) },
  { name: "no deletion cost is 0", goes: pod("goes"), stays: pod("stays", { cost: "1" }) },
  { name: "a deletion cost that is no number is 0", goes: pod("goes", { cost: "cheap" }), stays: pod("stays", { cost: "1" }) },
  { name: "a deletion cost with a plus is 0", goes: pod("goes", { cost: "+7" }), stays: pod("stays", { cost: "1" }) },
  { name: "a deletion cost beyond 32 bits is 0", goes: pod("goes", { cost: "4000000000" }), stays: pod("stays", { cost: "1" }) },
  {
    name: "deletion cost before ready time",
    goes: pod("goes", { cost: "1", readySince: "01:00:00" }),
    stays: pod("stays", { cost: "2", readySince: "08:59:59" }),
  },
  { name: "ready for a shorter time", goes: pod("goes", { readySince: "08:55:00" }), stays: pod("stays", { readySince: "08:00:00" }) },
  { name: "more restarts", goes: pod("goes", { restarts: 3 }), stays: pod("stays", { restarts: 2 }) },
  { name: "more restarts of a sidecar", goes: pod("goes", { sidecarRestarts: 1 }), stays: pod("stays") },
  {
    name: "restarts of containers before those of sidecars",
    goes: pod("goes", { restarts: 1 }),
    stays: pod("stays", { sidecarRestarts: 9 }),
  },
  { name: "younger", goes: pod("goes", { created: "08:55:00" }), stays: pod("stays", { created: "04:00:00" }) },
  { name: "restarts before age", goes: pod("goes", { restarts: 1, created: "01:00:00" }), stays: pod("stays", { created: "08:59:00" }) },
]

describe("GetPodsToDelete: of two pods the one that goes", () => {
  test.each(pairs)("$name", ({ goes, stays }) => {
    expect(namesOf(podsToDelete([stays, goes], [], 1, now))).toEqual(["goes"])
    expect(namesOf(podsToDelete([goes, stays], [], 1, now))).toEqual(["goes"])
  })

  test("ages of the same magnitude are as good as equal: the uid decides", () => {
    const [a, b] = [pod("a", { readySince: "06:00:00" }), pod("b", { readySince: "06:30:00" })]
    expect(namesOf(podsToDelete([b, a], [], 1, now))).toEqual(["a"])
  })

  test("ready and colocated with another ready pod vs not colocated", () => {
    const [alone, crowded, neighbour] = [
      pod("alone", { node: "node-1" }),
      pod("crowded", { node: "node-2" }),
      pod("neighbour", { node: "node-2" }),
    ]
    expect(namesOf(podsToDelete([alone, crowded], [alone, crowded, neighbour], 1, now))).toEqual(["crowded"])
  })

  test("neighbours that have finished do not crowd a node", () => {
    const finished = pod("finished", { node: "node-1", phase: "Succeeded" })
    const [a, b, neighbour] = [pod("a", { node: "node-1" }), pod("b", { node: "node-2" }), pod("neighbour", { node: "node-2" })]
    expect(namesOf(podsToDelete([a, b], [a, b, finished, finished, neighbour], 1, now))).toEqual(["b"])
  })
})

describe("GetPodsToDelete: many pods", () => {
  const various = [
    pod("ready-on-1", { node: "node-1" }),
    pod("ready-on-2", { node: "node-2" }),
    pod("not-ready", { ready: false }),
    pod("pending", { phase: "Pending" }),
    pod("unscheduled", { phase: "Pending", node: "" }),
  ]

  test.each([
    { name: "no pods, none to go", pods: [], count: 0, expected: [] },
    { name: "various pod phases and conditions, all go: none is sorted", pods: various, count: 5, expected: namesOf(various) },
    { name: "various pod phases and conditions, 3 of 5 go", pods: various, count: 3, expected: ["unscheduled", "pending", "not-ready"] },
    {
      name: "2 of 3 go, both not ready",
      pods: [pod("ready"), pod("a", { ready: false }), pod("b", { ready: false })],
      count: 2,
      expected: ["a", "b"],
    },
  ])("$name", ({ pods, count, expected }) => {
    expect(namesOf(podsToDelete(pods, pods, count, now))).toEqual(expected)
  })
})
