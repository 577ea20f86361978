import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { allReplicaSets, splitReplicaSets } from "./replica-sets.ts"
import { isScalingEvent, replicaFraction, scale } from "./scale.ts"
import { context, deployment, observed, operationsOf, recreate, replicaSet, sizes, sizesOf } from "./testing/objects.ts"

interface Row {
  readonly name: string
  /** The number that the ReplicaSets were sized for, and the surge then. */
  readonly before: number
  readonly surgeBefore?: number
  readonly now: number
  readonly surge?: number
  /** Sizes, oldest first; the last is of the present template unless there is none. */
  readonly from: readonly number[]
  readonly to: readonly number[]
  readonly image?: number
}

/** The cases of upstream's TestScale, with our own names for the ReplicaSets. */
const rows: readonly Row[] = [
  { name: "normal scaling event: 10 -> 12", before: 10, now: 12, from: [10], to: [12] },
  { name: "normal scaling event: 10 -> 5", before: 10, now: 5, from: [10], to: [5] },
  { name: "proportional scaling: 5 -> 10", before: 5, now: 10, from: [3, 2], to: [6, 4] },
  { name: "proportional scaling: 5 -> 3", before: 5, now: 3, from: [3, 2], to: [2, 1] },
  { name: "proportional scaling: 9 -> 4", before: 9, now: 4, from: [1, 8], to: [0, 4] },
  { name: "proportional scaling: 7 -> 10", before: 7, now: 10, from: [2, 3, 2], to: [3, 4, 3] },
  { name: "proportional scaling: 13 -> 8", before: 13, now: 8, from: [3, 8, 2], to: [2, 5, 1] },
  { name: "leftover distribution: 3 -> 4 goes to the newest", before: 3, now: 4, from: [1, 1, 1], to: [1, 1, 2] },
  { name: "leftover distribution: 3 -> 2 comes from the oldest", before: 3, now: 2, from: [1, 1, 1], to: [0, 1, 1] },
  { name: "proportional scaling (no new rs): 4 -> 5", before: 4, now: 5, from: [2, 2], to: [2, 3], image: 9 },
  { name: "proportional scaling: 6 -> 0", before: 6, now: 0, from: [1, 2, 3], to: [0, 0, 0] },
  { name: "proportional scaling: 0 -> 6 goes to the present one", before: 6, now: 6, from: [0, 0, 0], to: [0, 0, 6] },
  { name: "0 -> 6 without a present one goes to the newest", before: 6, now: 6, from: [0, 0, 0], to: [0, 0, 6], image: 9 },
  { name: "deployment with surge pods", before: 10, surgeBefore: 2, now: 20, surge: 2, from: [6, 6], to: [11, 11] },
  { name: "change both surge and size", before: 10, surgeBefore: 3, now: 50, surge: 6, from: [8, 5], to: [34, 22] },
  { name: "change both size and template", before: 10, now: 14, from: [3, 7], to: [4, 10], image: 9 },
]

function setsOf({ before, surgeBefore = 0, from }: Row): readonly ReplicaSet[] {
  return from.map((size, number) => replicaSet(number + 1, size, { sizedFor: before, max: before + surgeBefore }))
}

function scaledDeployment({ now, surge = 0, from, image = from.length }: Row): Deployment {
  return deployment(now, { surge, unavailable: 0, image })
}

describe("Scale", () => {
  test.each(rows)("$name", (row) => {
    const sets = setsOf(row)
    const edits = scale(scaledDeployment(row), splitReplicaSets(scaledDeployment(row), sets))
    const after = sets.map((set) => edits.find((edit) => edit.set === set)?.replicas ?? set.spec?.replicas)
    expect(after).toEqual(row.to)
  })

  test("failed rs update: what was written keeps its size, and the one that was not gets its share", () => {
    const resized = { sizedFor: 5 }
    const sets = [replicaSet(1, 1, resized), replicaSet(2, 1, { sizedFor: 3 }), replicaSet(3, 2, resized)]
    const of = deployment(5, { surge: 0, unavailable: 0, image: 3 })
    expect(isScalingEvent(of, splitReplicaSets(of, sets))).toBe(true)
    expect(sizesOf(scale(of, splitReplicaSets(of, sets)))).toEqual(["web-2 → 2"])
  })

  test("scaling down takes broken pods before available ones that are needed", () => {
    const of = deployment(2, { surge: 1, unavailable: 0 })
    const sets = [replicaSet(1, 5, { sizedFor: 5, max: 7, available: 0 }), replicaSet(2, 2, { sizedFor: 5, max: 7 })]
    expect(sizesOf(scale(of, splitReplicaSets(of, sets)))).toEqual(["web-1 → 1", "web-2 → 2"])
  })

  test("saturated but broken new replica set does not affect old pods", () => {
    const of = deployment(2, { surge: 1, unavailable: 1 })
    const sets = [replicaSet(1, 1, { sizedFor: 2, max: 3 }), replicaSet(2, 2, { sizedFor: 2, max: 3, available: 0 })]
    expect(sizesOf(scale(of, splitReplicaSets(of, sets)))).toEqual([])
  })

  test("a saturated new ReplicaSet leaves nothing to old ones", () => {
    const of = deployment(2)
    const sets = [replicaSet(1, 1, { sizedFor: 5 }), replicaSet(2, 2, { sizedFor: 2 })]
    expect(sizesOf(scale(of, splitReplicaSets(of, sets)))).toEqual(["web-1 → 0"])
  })

  test("annotations are rewritten on all that have pods, so that it is over", () => {
    const of = deployment(10, { surge: 0, unavailable: 0 })
    const plan = decide(observed(of, [replicaSet(1, 3, { sizedFor: 5 }), replicaSet(2, 2, { sizedFor: 5 })]), context)
    const updated = operationsOf(plan).flatMap((operation) => (operation.do === "update" ? [operation.object as ReplicaSet] : []))
    expect(updated.map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/desired-replicas"])).toEqual(["10", "10"])
    expect(updated.map(({ metadata }) => metadata.annotations?.["deployment.kubernetes.io/max-replicas"])).toEqual(["10", "10"])
    expect(isScalingEvent(of, splitReplicaSets(of, updated))).toBe(false)
  })

  test("another client set the size of the only one: only its annotations change, and the next rollout can begin", () => {
    const of = deployment(5, { image: 9 })
    const plan = decide(observed(of, [replicaSet(2, 5, { sizedFor: 10 })]), context)
    expect(sizes(plan)).toEqual(["web-2 → 5"])
    expect(operationsOf(plan)[0]).toMatchObject({
      do: "update",
      object: { metadata: { annotations: { "deployment.kubernetes.io/desired-replicas": "5" } } },
    })
  })
})

describe("a scaling event", () => {
  const isOne = (of: Deployment, ...sets: readonly ReplicaSet[]) => isScalingEvent(of, { old: sets })
  test.each([
    {
      name: "is another number than the one a ReplicaSet was sized for",
      event: isOne(deployment(5), replicaSet(1, 3, { sizedFor: 3 })),
      expected: true,
    },
    { name: "is none when they agree", event: isOne(deployment(3), replicaSet(1, 3, { sizedFor: 3 })), expected: false },
    { name: "is none for a ReplicaSet without pods", event: isOne(deployment(5), replicaSet(1, 0, { sizedFor: 3 })), expected: false },
    { name: "is none where the number is not annotated", event: isOne(deployment(5), replicaSet(1, 3)), expected: false },
    {
      name: "is none where the note is no number",
      event: isOne(deployment(5), replicaSet(1, 3, { annotations: { "deployment.kubernetes.io/desired-replicas": "many" } })),
      expected: false,
    },
    {
      name: "is none for Recreate with several that have pods",
      event: isOne(deployment(5, recreate), replicaSet(1, 3, { sizedFor: 3 }), replicaSet(2, 1, { sizedFor: 3 })),
      expected: false,
    },
  ])("$name", ({ event, expected }) => {
    expect(event).toBe(expected)
  })

  test("moves no rollout on", () => {
    const plan = decide(
      observed(deployment(8, { surge: 0, unavailable: 4 }), [replicaSet(1, 2, { sizedFor: 4 }), replicaSet(2, 2, { sizedFor: 4 })]),
      context,
    )
    expect(sizes(plan)).toEqual(["web-2 → 4", "web-1 → 4"])
  })

  test("makes no ReplicaSet for a new template yet", () => {
    expect(sizes(decide(observed(deployment(8, { image: 9 }), [replicaSet(1, 4, { sizedFor: 4 })]), context))).toEqual(["web-1 → 8"])
  })
})

describe("GetReplicaSetFraction", () => {
  test.each([
    { name: "empty deployment always scales to 0", replicas: 0, size: 10, expected: -10 },
    { name: "unsynced deployment does not scale when max-replicas annotation is missing", replicas: 10, size: 5, expected: 0 },
    { name: "unsynced deployment does not scale when max-replicas annotation is 0", replicas: 10, size: 5, max: 0, expected: 0 },
    { name: "scale up by 1/5 when max-replicas annotation is missing", replicas: 120, status: 100, size: 50, expected: 10 },
    { name: "scale up by 1/5 when max-replicas annotation is 0", replicas: 120, status: 100, size: 50, max: 0, expected: 10 },
    { name: "scale up by 1/5", replicas: 120, size: 50, max: 100, expected: 10 },
    { name: "scale up with maxSurge by 1/5: approximately", replicas: 120, surge: 10, size: 50, max: 110, expected: 9 },
    { name: "scale down by 1/6", replicas: 10, size: 6, max: 12, expected: -1 },
    { name: "scale down with maxSurge by 1/6: approximately", replicas: 100, surge: 10, size: 50, max: 130, expected: -8 },
  ] as { name: string; replicas: number; surge?: number; status?: number; size: number; max?: number; expected: number }[])(
    "$name",
    (row) => {
      const { replicas, surge = 0, status, size, max, expected } = row
      const set = replicaSet(1, size, max === undefined ? {} : { sizedFor: 1, max })
      expect(replicaFraction(deployment(replicas, { surge, unavailable: 1, status: { replicas: status } }), set)).toBe(expected)
    },
  )
})

test("all of a Deployment's ReplicaSets are the old ones and the current one", () => {
  const sets = splitReplicaSets(deployment(1), [replicaSet(1, 1), replicaSet(2, 1)])
  expect(allReplicaSets(sets)).toHaveLength(2)
  expect(allReplicaSets({ old: sets.old })).toHaveLength(1)
})
