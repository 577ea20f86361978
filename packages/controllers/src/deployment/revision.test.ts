import type { ReplicaSet } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { newReplicaSet, newReplicaSetName } from "./new-replica-set.ts"
import { alignWithDeployment, lastRevision, nextRevision, replicaSetsBeyondLimit } from "./revision.ts"
import { context, deployment, observed, operationsOf, replicaSet, written } from "./testing/objects.ts"

const revision = "deployment.kubernetes.io/revision"
const history = "deployment.kubernetes.io/revision-history"
const bookkeeping = { [revision]: "7", "kubectl.kubernetes.io/last-applied-configuration": "{}", "deprecated.deployment.rollback.to": "1" }

describe("revisions", () => {
  test.each([
    { name: "the first is 1", sets: [], next: 1, last: 0 },
    { name: "one more than the highest", sets: [replicaSet(1, 0), replicaSet(4, 0), replicaSet(3, 0)], next: 5, last: 3 },
    {
      name: "what is no number does not count",
      sets: [replicaSet(1, 0, { annotations: { [revision]: "first" } }), replicaSet(2, 0)],
      next: 3,
      last: 0,
    },
    {
      name: "beyond 2^53 every digit counts",
      sets: [
        replicaSet(1, 0, { annotations: { [revision]: "9007199254740993" } }),
        replicaSet(2, 0, { annotations: { [revision]: "3546343826724305832" } }),
      ],
      next: 3546343826724305833n,
      last: 9007199254740993n,
    },
    {
      name: "what 64 bits cannot hold does not count",
      sets: [replicaSet(1, 0, { annotations: { [revision]: "9223372036854775808" } }), replicaSet(2, 0)],
      next: 3,
      last: 0,
    },
    { name: "a ReplicaSet without one counts as 0", sets: [replicaSet(1, 0, { annotations: { [revision]: "" } })], next: 1, last: 0 },
  ])("$name", ({ sets, next, last }) => {
    expect([nextRevision(sets), lastRevision(sets)]).toEqual([next, last])
  })

  test("that of the current ReplicaSet is copied to the Deployment, with the status", () => {
    const of = deployment(3, { metadata: { annotations: { note: "kept" } } })
    const sets = [replicaSet(2, 3, { annotations: { [revision]: "5", note: "kept" } })]
    expect(written(decide(observed(of, sets), context)).annotations).toEqual({ note: "kept", [revision]: "5" })
  })

  test("it waits while the current ReplicaSet still has to get its own", () => {
    const plan = decide(observed(deployment(3), [replicaSet(2, 3), replicaSet(3, 0)]), context)
    expect(operationsOf(plan)[0]).toMatchObject({
      do: "update",
      object: { metadata: { name: "web-2", annotations: { [revision]: "4", [history]: "2" } } },
    })
    expect(written(plan).annotations).toEqual({ [revision]: "2" })
  })
})

describe("the current ReplicaSet follows its Deployment", () => {
  const follow = (of: ReturnType<typeof deployment>, current: ReplicaSet, ...old: readonly ReplicaSet[]) =>
    alignWithDeployment(of, { current, old })

  test("nothing to do", () => {
    expect(follow(deployment(3), replicaSet(2, 3))).toBeUndefined()
  })

  test("annotations are copied, but for those that belong to one object alone", () => {
    const of = deployment(3, { metadata: { annotations: { "kubernetes.io/change-cause": "a better image", ...bookkeeping } } })
    expect(follow(of, replicaSet(2, 3))?.annotations).toEqual({ "kubernetes.io/change-cause": "a better image" })
  })

  test("minReadySeconds is kept equal", () => {
    expect(follow(deployment(3, { minReadySeconds: 5 }), replicaSet(2, 3))).toMatchObject({ minReadySeconds: 5 })
    expect(follow(deployment(3), replicaSet(2, 3, { minReadySeconds: 5 }))).toMatchObject({ minReadySeconds: 0 })
    expect(follow(deployment(3, { minReadySeconds: 0 }), replicaSet(2, 3))).toBeUndefined()
  })

  test("a revision that is higher already stays: the ones after it may be gone", () => {
    expect(follow(deployment(3), replicaSet(2, 3, { annotations: { [revision]: "9" } }), replicaSet(1, 0))).toBeUndefined()
  })

  test("a revision beyond 2^53 that is the highest by one stays", () => {
    const [own, before] = ["3546343826724305833", "3546343826724305832"].map((number) => ({ annotations: { [revision]: number } }))
    expect(follow(deployment(3), replicaSet(2, 3, own), replicaSet(1, 0, before))).toBeUndefined()
    expect(follow(deployment(3), replicaSet(2, 3, before), replicaSet(1, 0, own))?.annotations).toEqual({
      [revision]: "3546343826724305834",
      [history]: "3546343826724305832",
    })
  })

  test("a revision that is no number is let be", () => {
    expect(follow(deployment(3), replicaSet(2, 3, { annotations: { [revision]: "second" } }), replicaSet(5, 0))).toBeUndefined()
  })

  test("becoming current again, it keeps the revisions it had", () => {
    const back = (known: Record<string, string>) =>
      follow(deployment(3), replicaSet(2, 3, { annotations: known }), replicaSet(9, 0))?.annotations
    expect(back({})).toEqual({ [revision]: "10", [history]: "2" })
    expect(back({ [revision]: "8", [history]: "2,5" })).toEqual({ [revision]: "10", [history]: "2,5,8" })
  })

  test("a history longer than 2000 characters forgets the oldest", () => {
    const long = Array.from({ length: 500 }, (_, number) => 100 + number).join(",")
    const kept = follow(
      deployment(3),
      replicaSet(2, 3, { annotations: { [revision]: "700", [history]: long } }),
      replicaSet(1, 0, { annotations: { [revision]: "800" } }),
    )?.annotations?.[history]
    expect(kept?.length).toBe(1999)
    expect(kept).toMatch(/^101,.*,599,700$/)
  })
})

describe("a new ReplicaSet", () => {
  const made = newReplicaSet(
    deployment(3, { minReadySeconds: 5, metadata: { annotations: { note: "copied", ...bookkeeping } } }),
    { old: [replicaSet(1, 0)] },
    2,
  )
  const hash = made.metadata.labels?.["pod-template-hash"] ?? ""

  test("has the hash of its template in name, labels, selector and template", () => {
    expect(made.metadata).toMatchObject({ name: `web-${hash}`, namespace: "default", labels: { app: "web", "pod-template-hash": hash } })
    expect(made.spec?.selector.matchLabels).toEqual({ app: "web", "pod-template-hash": hash })
    expect(made.spec?.template?.metadata?.labels).toEqual({ app: "web", "pod-template-hash": hash })
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/)
  })

  test("belongs to its Deployment, and knows revision and sizes", () => {
    expect(made.metadata.ownerReferences).toEqual([
      { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid: "d-1", controller: true, blockOwnerDeletion: true },
    ])
    const sizes = { "deployment.kubernetes.io/desired-replicas": "3", "deployment.kubernetes.io/max-replicas": "4" }
    expect(made.metadata.annotations).toEqual({ note: "copied", [revision]: "2", ...sizes })
    expect(made.spec).toMatchObject({ replicas: 2, minReadySeconds: 5 })
  })

  test("gets another name when the first is taken", () => {
    expect(newReplicaSetName(deployment(3, { status: { collisionCount: 1 } }))).not.toBe(newReplicaSetName(deployment(3)))
  })

  test("has a name of 253 characters at most", () => {
    const long = newReplicaSetName(deployment(3, { metadata: { name: "w".repeat(253) } }))
    expect(long).toHaveLength(253)
    expect(long.endsWith(`w-${hash}`)).toBe(true)
  })
})

describe("history", () => {
  const names = (limit: number | undefined, ...old: readonly ReplicaSet[]) =>
    replicaSetsBeyondLimit(deployment(3, { revisionHistoryLimit: limit }), old).map(({ metadata }) => metadata.name)
  const three = [replicaSet(3, 0), replicaSet(1, 0), replicaSet(2, 0)]
  const going = replicaSet(1, 0, { metadata: { deletionTimestamp: "2026-01-05T08:59:00Z" } })

  test.each([
    { name: "one of three is kept, the highest revision", found: names(1, ...three), expected: ["web-1", "web-2"] },
    { name: "fewer than the limit", found: names(10, ...three), expected: [] },
    {
      name: "only what has no pods, and should have none",
      found: names(0, replicaSet(1, 0), replicaSet(2, 0, { pods: 1 }), replicaSet(3, 1, { pods: 0 }), replicaSet(4, 1)),
      expected: ["web-1"],
    },
    { name: "those with pods are not replaced by others", found: names(1, replicaSet(1, 1), replicaSet(2, 0)), expected: [] },
    { name: "none that is going already", found: names(0, going), expected: [] },
    { name: "none whose emptiness is not confirmed yet", found: names(0, replicaSet(1, 0, { metadata: { generation: 2 } })), expected: [] },
    { name: "MaxInt32 keeps all", found: names(2 ** 31 - 1, ...three), expected: [] },
    { name: "no limit keeps all", found: names(undefined, ...three), expected: [] },
  ])("$name", ({ found, expected }) => {
    expect(found).toEqual(expected)
  })

  const deletions = (of: ReturnType<typeof deployment>, ...sets: readonly ReplicaSet[]) =>
    operationsOf(decide(observed(of, sets), context)).flatMap((operation) =>
      operation.do === "delete" ? [operation.object.metadata.name] : [],
    )

  test("is cleared when a rollout is complete, and not before", () => {
    const of = deployment(3, { revisionHistoryLimit: 0 })
    expect(deletions(of, replicaSet(1, 0), replicaSet(2, 3))).toEqual(["web-1"])
    expect(deletions(of, replicaSet(1, 0), replicaSet(2, 3, { available: 2 }))).toEqual([])
  })

  test("is cleared in a pause, but not when a rollback is requested", () => {
    const paused = { revisionHistoryLimit: 0, paused: true }
    expect(deletions(deployment(3, paused), replicaSet(1, 0), replicaSet(2, 3, { available: 2 }))).toEqual(["web-1"])
    const metadata = { annotations: { [revision]: "2", "deprecated.deployment.rollback.to": "1" } }
    expect(deletions(deployment(3, { ...paused, metadata }), replicaSet(1, 0), replicaSet(2, 3))).toEqual([])
  })
})
