import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { claimOf, context, kubeOperationsOf, movesOf, observed, parallel, pod, pods, statefulSet, withClaims } from "./testing/objects.ts"

const max = 2 ** 31 - 1

function claimTemplate(index: number): PersistentVolumeClaim {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: `v${index}` }, spec: {} }
}

describe("a StatefulSet of 2147483647 replicas", () => {
  test("creates 500 pods in one reconcile when it is parallel, and the next 500 in the next", () => {
    const set = statefulSet(max, { spec: parallel })
    const first = movesOf(decide(observed(set), context))
    expect([first.length, first[0], first.at(-1)]).toEqual([500, "create web-0", "create web-499"])
    const second = movesOf(decide(observed(set, { pods: pods(500) }), context))
    expect([second.length, second[0], second.at(-1)]).toEqual([500, "create web-500", "create web-999"])
  })

  test("creates one pod when it is ordered", () => {
    expect(movesOf(decide(observed(statefulSet(max), { pods: pods(2) }), context))).toEqual(["create web-2"])
  })

  test("writes its status with each batch: a status that waited for the last pod would never come", () => {
    const plan = decide(observed(statefulSet(max, { spec: parallel }), { pods: pods(3) }), context)
    expect(kubeOperationsOf(plan).filter((operation) => operation.do === "status")).toHaveLength(1)
  })

  test("fills gaps below pods with high numbers, and keeps those", () => {
    const set = statefulSet(max, { spec: parallel })
    const moves = movesOf(decide(observed(set, { pods: [pod(1), pod(2_000_000_000)] }), context))
    expect([moves.length, moves[0], moves[1]]).toEqual([500, "create web-0", "create web-2"])
  })

  test("passes over places whose claims are being deleted", () => {
    const set = statefulSet(max, { spec: { ...parallel, ...withClaims } })
    const claims = [0, 1].map((ordinal) => claimOf(ordinal, { deletionTimestamp: "2026-01-05T08:59:00Z" }))
    const moves = movesOf(decide(observed(set, { claims }), context)).filter((move) => move.startsWith("create web-"))
    expect([moves.length, moves[0], moves.at(-1)]).toEqual([500, "create web-2", "create web-501"])
  })

  test("replaces no pod while others are missing, whatever the partition and the strategy", () => {
    for (const rollingUpdate of [{ partition: 0 }, { partition: max }, { maxUnavailable: "50%" }]) {
      const updateStrategy = { type: "RollingUpdate", rollingUpdate } as const
      const set = statefulSet(max, { image: 2, current: 1, spec: { ...parallel, updateStrategy } })
      const moves = movesOf(decide(observed(set, { pods: pods(2, { image: 1 }) }), context))
      expect(moves.filter((move) => move.startsWith("delete"))).toEqual([])
    }
  })

  test("makes no pod whose number no name is read back from", () => {
    const set = statefulSet(max, { spec: { ...parallel, ordinals: { start: max } } })
    expect(movesOf(decide(observed(set), context))).toEqual([`create web-${max}`])
  })
})

describe("a parallel StatefulSet of 500 replicas and 2,000 claim templates", () => {
  const volumeClaimTemplates = Array.from({ length: 2000 }, (_, index) => claimTemplate(index))
  const set = statefulSet(500, { spec: { ...parallel, volumeClaimTemplates } })
  const podsIn = (moves: readonly string[]) => moves.filter((move) => move.startsWith("create web-"))

  test("creates 5 pods and their 10,000 claims in one reconcile", () => {
    const moves = movesOf(decide(observed(set), context))
    expect(podsIn(moves)).toEqual(["create web-0", "create web-1", "create web-2", "create web-3", "create web-4"])
    expect(moves).toHaveLength(10_005)
  })

  test("creates the next pod when one of the pending pods has started", () => {
    const pending = [0, 1, 2, 3, 4].map((ordinal) => pod(ordinal, { phase: "Pending" }))
    expect(podsIn(movesOf(decide(observed(set, { pods: pending }), context)))).toEqual([])
    expect(podsIn(movesOf(decide(observed(set, { pods: [pod(0), ...pending.slice(1)] }), context)))).toEqual(["create web-5"])
  })
})

test("a parallel StatefulSet of 20 claim templates creates as many pods at once as one without", () => {
  const volumeClaimTemplates = Array.from({ length: 20 }, (_, index) => claimTemplate(index))
  const moves = movesOf(decide(observed(statefulSet(600, { spec: { ...parallel, volumeClaimTemplates } })), context))
  expect(moves.filter((move) => move.startsWith("create web-"))).toHaveLength(500)
})
