import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Plan } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { decide } from "./decide.ts"
import { context, deployment, observed, replicaSet, written } from "./testing/objects.ts"

/** What is decided once the status is written: the reconcile after that is the one that users see. */
function settled(of: Deployment, ...sets: readonly ReplicaSet[]): Plan {
  const seen = observed(of, sets)
  const { status } = written(decide(seen, context))
  return decide({ ...seen, deployment: { ...of, status } }, context)
}

const deadline = { progressDeadlineSeconds: 600 }

test("scaled to 0 while its pods were going, a Deployment was said to wait for pods, and to fail without", () => {
  const { waitingFor, requeue } = settled(deployment(0, deadline), replicaSet(2, 0, { pods: 2, sizedFor: 0 }))
  expect(waitingFor).toEqual(["the pods that are too many to go"])
  expect(requeue?.reason).toBe("they should be gone by then")
})

test("with too many pods of which too few are available it is those that are waited for", () => {
  const { waitingFor, requeue } = settled(deployment(3, deadline), replicaSet(2, 3, { pods: 4, available: 2, sizedFor: 3, max: 4 }))
  expect(waitingFor).toEqual(["pods to become available"])
  expect(requeue?.reason).toBe("without progress until then the rollout has failed")
})

test("reports terminating pods as long as they exist", () => {
  const status = { terminatingReplicas: 2, observedGeneration: 1 }
  expect(settled(deployment(0), replicaSet(2, 0, { status })).summary).toBe(
    "0 of 0 pods available, 0 with the current template; 2 more on their way out",
  )
})

test("a Deployment that is paused did not say so", () => {
  const paused = "a user to resume it: it is paused, and a change of its template is not rolled out before"
  expect(settled(deployment(2, { ...deadline, paused: true }), replicaSet(1, 2)).waitingFor).toEqual([paused])
  expect(settled(deployment(2, deadline), replicaSet(2, 2)).waitingFor).toEqual([])
})
