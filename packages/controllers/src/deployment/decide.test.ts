import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { splitReplicaSets } from "./replica-sets.ts"
import { areOldPodsRunning } from "./rolling-update.ts"
import { context, deployment, now, observed, operationsOf, podOf, recreate, replicaSet, sizes, written } from "./testing/objects.ts"

interface Row {
  readonly name: string
  readonly deployment: Deployment
  readonly replicaSets: readonly ReplicaSet[]
  readonly pods?: readonly Pod[]
  readonly expected: readonly string[]
}

const ten = (facts: { surge?: number; unavailable?: number }) => deployment(10, { surge: 0, unavailable: 0, ...facts })

const rolling: readonly Row[] = [
  { name: "the first ReplicaSet gets all pods at once", deployment: deployment(3), replicaSets: [], expected: ["new → 3"] },
  {
    name: "a surge of 25 % of 4 lets the new ReplicaSet begin with 1",
    deployment: deployment(4),
    replicaSets: [replicaSet(1, 4)],
    expected: ["new → 1"],
  },
  {
    name: "rolling over: with the surge used up a third template begins with 0",
    deployment: ten({ surge: 3, unavailable: 2 }),
    replicaSets: [replicaSet(1, 8), replicaSet(3, 5, { available: 0 })],
    expected: ["new → 0"],
  },
  {
    name: "new: no room, none comes",
    deployment: ten({}),
    replicaSets: [replicaSet(1, 10, { available: 9 }), replicaSet(2, 0)],
    expected: ["web-1 → 9"],
  },
  { name: "new: a surge of 2", deployment: ten({ surge: 2 }), replicaSets: [replicaSet(1, 10), replicaSet(2, 0)], expected: ["web-2 → 2"] },
  {
    name: "new: a surge of 2 and what old ones left",
    deployment: ten({ surge: 2 }),
    replicaSets: [replicaSet(1, 5), replicaSet(2, 0)],
    expected: ["web-2 → 7"],
  },
  {
    name: "new: the surge is used up and its pods are not available",
    deployment: ten({ surge: 2 }),
    replicaSets: [replicaSet(1, 10), replicaSet(2, 2, { available: 0 })],
    expected: [],
  },
  {
    name: "new: more than wanted",
    deployment: ten({ surge: 2 }),
    replicaSets: [replicaSet(1, 2), replicaSet(2, 11)],
    expected: ["web-2 → 10"],
  },
  {
    name: "old: one may be missing where neither surge nor unavailable allow to move",
    deployment: ten({}),
    replicaSets: [replicaSet(1, 10), replicaSet(2, 0)],
    expected: ["web-1 → 9"],
  },
  {
    name: "old: two may be missing (scaleDownOldReplicaSets)",
    deployment: ten({ unavailable: 2 }),
    replicaSets: [replicaSet(1, 10), replicaSet(2, 0)],
    expected: ["web-1 → 8"],
  },
  {
    name: "old: 2 that are not available go (cleanupUnhealthyReplicas)",
    deployment: ten({ unavailable: 2 }),
    replicaSets: [replicaSet(1, 10, { available: 8 }), replicaSet(2, 0)],
    expected: ["web-1 → 8"],
  },
  {
    name: "old: 1 that is not available and 1 that is (cleanupUnhealthyReplicas, then scaleDownOldReplicaSets)",
    deployment: ten({ unavailable: 2 }),
    replicaSets: [replicaSet(1, 10, { available: 9 }), replicaSet(2, 0)],
    expected: ["web-1 → 8"],
  },
  {
    name: "old: of 2 that are not available 1 goes, where no more may be missing (cleanupUnhealthyReplicas)",
    deployment: ten({ unavailable: 1 }),
    replicaSets: [replicaSet(1, 10, { available: 8 }), replicaSet(2, 0)],
    expected: ["web-1 → 9"],
  },
  {
    name: "old: none goes where there are none left (scaleDownOldReplicaSets)",
    deployment: ten({ unavailable: 2 }),
    replicaSets: [replicaSet(1, 0), replicaSet(2, 10)],
    expected: [],
  },
  {
    name: "old: none goes for new ones that are not available",
    deployment: ten({ unavailable: 2 }),
    replicaSets: [replicaSet(1, 8), replicaSet(2, 2, { available: 0 })],
    expected: [],
  },
  {
    name: "old: none goes when too few are available already",
    deployment: ten({ unavailable: 2 }),
    replicaSets: [replicaSet(1, 8, { available: 1 }), replicaSet(2, 2, { available: 0 })],
    expected: [],
  },
  {
    name: "old: back from crashing, the broken ones go",
    deployment: ten({ surge: 3, unavailable: 2 }),
    replicaSets: [
      replicaSet(2, 8, { available: 7, annotations: { "deployment.kubernetes.io/revision": "4" } }),
      replicaSet(3, 5, { available: 0 }),
    ],
    expected: ["web-3 → 1"],
  },
  {
    name: "old: the oldest goes first",
    deployment: ten({ surge: 3, unavailable: 2 }),
    replicaSets: [replicaSet(2, 5), replicaSet(1, 4), replicaSet(0, 4)],
    expected: ["web-0 → 0", "web-1 → 3"],
  },
  {
    name: "old: those not available first, whichever ReplicaSet has them",
    deployment: ten({ unavailable: 2, surge: 1 }),
    replicaSets: [replicaSet(0, 5), replicaSet(1, 6, { available: 4 }), replicaSet(2, 0)],
    expected: ["web-0 → 4", "web-1 → 4"],
  },
  {
    name: "old: a status that still counts pods that are going is not believed",
    deployment: ten({ unavailable: 2, surge: 1 }),
    replicaSets: [replicaSet(1, 8, { available: 10 }), replicaSet(2, 3, { available: 0 })],
    expected: [],
  },
  { name: "a finished rollout does nothing", deployment: deployment(4), replicaSets: [replicaSet(1, 0), replicaSet(2, 4)], expected: [] },
  { name: "scaling down shrinks the new one", deployment: deployment(2), replicaSets: [replicaSet(2, 4)], expected: ["web-2 → 2"] },
  { name: "scaling to 0", deployment: deployment(0), replicaSets: [replicaSet(2, 4)], expected: ["web-2 → 0"] },
  {
    name: "a Deployment that is being deleted moves nothing",
    deployment: deployment(3, { metadata: { deletionTimestamp: "2026-01-05T08:59:00Z" } }),
    replicaSets: [replicaSet(1, 3)],
    expected: [],
  },
]

const recreating: readonly Row[] = [
  { name: "old pods go first", deployment: deployment(3, recreate), replicaSets: [replicaSet(1, 3)], expected: ["web-1 → 0"] },
  {
    name: "all old ones at once",
    deployment: deployment(3, recreate),
    replicaSets: [replicaSet(0, 2), replicaSet(1, 1)],
    expected: ["web-0 → 0", "web-1 → 0"],
  },
  {
    name: "nothing comes while their status counts pods",
    deployment: deployment(3, recreate),
    replicaSets: [replicaSet(1, 0, { pods: 1 })],
    expected: [],
  },
  {
    name: "nothing comes while one of their pods is still stopping",
    deployment: deployment(3, recreate),
    replicaSets: [replicaSet(1, 0)],
    pods: [podOf(replicaSet(1, 0), "Running")],
    expected: [],
  },
  { name: "then the new one comes whole", deployment: deployment(3, recreate), replicaSets: [replicaSet(1, 0)], expected: ["new → 3"] },
  {
    name: "the new one is filled up",
    deployment: deployment(3, recreate),
    replicaSets: [replicaSet(1, 0), replicaSet(2, 1)],
    expected: ["web-2 → 3"],
  },
  {
    name: "a pause between old and new brings no pods while old ones stop",
    deployment: deployment(3, { ...recreate, paused: true }),
    replicaSets: [replicaSet(1, 0), replicaSet(2, 0)],
    pods: [podOf(replicaSet(1, 0), "Running")],
    expected: [],
  },
  {
    name: "several have pods and the number changed: the old ones go",
    deployment: deployment(3, recreate),
    replicaSets: [replicaSet(1, 2, { sizedFor: 5 }), replicaSet(2, 2, { sizedFor: 5 })],
    expected: ["web-1 → 0"],
  },
]

describe("rolling update", () => {
  test.each(rolling)("$name", (row) => {
    expect(sizes(decide(observed(row.deployment, row.replicaSets), context))).toEqual(row.expected)
  })
})

describe("recreate", () => {
  test.each(recreating)("$name", (row) => {
    expect(sizes(decide(observed(row.deployment, row.replicaSets, { pods: row.pods ?? [] }), context))).toEqual(row.expected)
  })
})

describe("OldPodsRunning", () => {
  const old = (...phases: readonly Parameters<typeof podOf>[1][]) => phases.map((phase) => podOf(replicaSet(1, 0), phase))
  test.each([
    { name: "no old RSs", old: [], pods: [], expected: false },
    { name: "old RSs with running pods", old: [replicaSet(1, 1)], pods: old("Running"), expected: true },
    { name: "old RSs without pods but with non-zero status replicas", old: [replicaSet(1, 0, { pods: 1 })], pods: [], expected: true },
    { name: "old RSs without pods or non-zero status replicas", old: [replicaSet(1, 0)], pods: [], expected: false },
    { name: "pods in terminal state", old: [replicaSet(1, 0)], pods: old("Failed", "Succeeded"), expected: false },
    { name: "pod in unknown phase", old: [replicaSet(1, 0)], pods: old("Unknown"), expected: true },
    { name: "pending pod", old: [replicaSet(1, 0)], pods: old("Pending"), expected: true },
    { name: "pods in terminal state and pending", old: [replicaSet(1, 0)], pods: old("Failed", "Succeeded", "Pending"), expected: true },
    {
      name: "pods of the current one are no old pods",
      old: [replicaSet(1, 0)],
      pods: [podOf(replicaSet(2, 1), "Running")],
      expected: false,
    },
  ])("$name", ({ old, pods, expected }) => {
    expect(areOldPodsRunning({ current: replicaSet(2, 1), old }, pods)).toBe(expected)
  })
})

describe("the current ReplicaSet", () => {
  test("is found by its template, whatever its hash says", () => {
    const { current, old } = splitReplicaSets(deployment(1), [replicaSet(2, 1), replicaSet(1, 1)])
    expect([current, ...old].map((set) => set?.metadata.name)).toEqual(["web-2", "web-1"])
  })

  test("is the oldest where several have the template", () => {
    const younger = replicaSet(2, 1, { metadata: { name: "younger", creationTimestamp: "2026-01-05T08:50:00Z" } })
    expect(splitReplicaSets(deployment(1), [younger, replicaSet(2, 1)])).toMatchObject({
      current: { metadata: { name: "web-2" } },
      old: [younger],
    })
  })
})

test("every operation says why", () => {
  const reason = (of: Deployment, ...sets: readonly ReplicaSet[]) => operationsOf(decide(observed(of, sets), context))[0]?.reason
  expect(reason(deployment(4), replicaSet(1, 4))).toBe("no ReplicaSet has the template of generation 2; it may start with 1 pods")
  expect(reason(ten({ surge: 2 }), replicaSet(1, 10), replicaSet(2, 0))).toBe("a surge of 2 over 10 leaves room for 2 more")
  expect(reason(deployment(4), replicaSet(1, 4, { available: 3 }), replicaSet(2, 1))).toBe(
    "it has an old template; 1 of its pods are not available and 1 more may go while 3 stay available",
  )
})

describe("the status", () => {
  test("is not written again when it is true", () => {
    const seen = observed(deployment(4, { progressDeadlineSeconds: 600 }), [replicaSet(2, 4)])
    const { status } = written(decide(seen, context))
    const again = decide({ ...seen, deployment: { ...seen.deployment, status } }, { ...context, now: now + 60_000 })
    expect(again.steps).toEqual([])
    expect(again.summary).toBe("4 of 4 pods available, 4 with the current template")
    expect(again.requeue).toBeUndefined()
  })

  test("counts pods of all ReplicaSets", () => {
    const { status } = written(
      decide(observed(deployment(4), [replicaSet(1, 3), replicaSet(2, 2, { available: 1, status: { terminatingReplicas: 2 } })]), context),
    )
    expect(status).toMatchObject({
      replicas: 5,
      updatedReplicas: 2,
      readyReplicas: 4,
      availableReplicas: 4,
      unavailableReplicas: 1,
      terminatingReplicas: 2,
      observedGeneration: 2,
    })
  })

  test("terminating pods are unknown as long as one ReplicaSet does not say; one that its controller has not observed yet does not count", () => {
    const silent = replicaSet(1, 3, { status: { terminatingReplicas: undefined } })
    const unseen = replicaSet(2, 1, { status: { terminatingReplicas: undefined, observedGeneration: undefined } })
    expect(written(decide(observed(deployment(4), [silent]), context)).status?.terminatingReplicas).toBeUndefined()
    expect(written(decide(observed(deployment(4), [replicaSet(1, 3), unseen]), context)).status?.terminatingReplicas).toBe(0)
  })

  test.each([
    {
      name: "enough available",
      available: 3,
      expected: { status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." },
    },
    {
      name: "too few",
      available: 2,
      expected: { status: "False", reason: "MinimumReplicasUnavailable", message: "Deployment does not have minimum availability." },
    },
  ])("Available: $name", ({ available, expected }) => {
    const { status } = written(decide(observed(deployment(4), [replicaSet(2, 4, { available })]), context))
    expect(status?.conditions).toMatchObject([{ type: "Available", ...expected }])
  })

  test("ReplicaFailure is copied from the current ReplicaSet, else from another, and goes with it", () => {
    const failing = (image: number, message: string) =>
      replicaSet(image, 2, {
        status: {
          conditions: [
            { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message, lastTransitionTime: "2026-01-05T08:30:00Z" },
          ],
        },
      })
    const failure = (...sets: readonly ReplicaSet[]) =>
      written(decide(observed(deployment(4), sets), context)).status?.conditions?.find(({ type }) => type === "ReplicaFailure")
    expect(failure(failing(1, "old"), failing(2, "new"))).toMatchObject({ message: "new", lastUpdateTime: "2026-01-05T08:30:00Z" })
    expect(failure(failing(1, "old"), replicaSet(2, 2))).toMatchObject({ message: "old" })
    expect(failure(replicaSet(1, 2), replicaSet(2, 2))).toBeUndefined()
  })
})

describe("before anything else", () => {
  test("an empty selector is refused (DontSyncDeploymentsWithEmptyPodSelector)", () => {
    const all = deployment(3, { selector: {} })
    const plan = decide(observed(all, []), context)
    expect(plan.events).toMatchObject([
      { type: "Warning", reason: "SelectingAll", message: "This deployment is selecting all pods. A non-empty selector is required." },
    ])
    expect(operationsOf(plan)).toMatchObject([{ do: "status", status: { observedGeneration: 2 } }])
    expect(operationsOf(decide(observed({ ...all, status: { observedGeneration: 2 } }, []), context))).toEqual([])
  })

  test("ReplicaSets are adopted and released, and nothing else is done in that reconcile", () => {
    const adoption: KubeOperation = { do: "patch", object: replicaSet(1, 3), patch: {}, reason: "it has no owner" }
    const plan = decide(observed(deployment(3), [replicaSet(1, 3)], { claims: [adoption] }), context)
    expect(operationsOf(plan)).toEqual([adoption])
  })
})
