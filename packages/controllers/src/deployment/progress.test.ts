import type { Deployment, DeploymentCondition, ReplicaSet } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { estimateProgress, untilDeadline } from "./progress.ts"
import { condition, context, deployment, now, observed, operationsOf, replicaSet, sizes, today, written } from "./testing/objects.ts"

const deadline = 60
const infinite = 2 ** 31 - 1

/** Wanted; and updated, total and available as the status says. */
function reported(
  wanted: number,
  updated: number,
  available: number,
  conditions: readonly DeploymentCondition[],
  seconds: number | undefined = deadline,
): Deployment {
  const status = {
    observedGeneration: 2,
    replicas: updated,
    updatedReplicas: updated,
    readyReplicas: available,
    availableReplicas: available,
    conditions,
  }
  return deployment(wanted, { progressDeadlineSeconds: seconds, status })
}

interface Row {
  readonly name: string
  readonly of: Deployment
  /** What the ReplicaSets say: total, updated, available. */
  readonly counts: readonly [number, number, number]
  readonly current?: ReplicaSet
  readonly expected: Partial<DeploymentCondition> | undefined
}

const current = replicaSet(2, 3)
const updated = condition("ReplicaSetUpdated", "True", "08:59:30")
const timedOut = condition("ProgressDeadlineExceeded", "False", "08:50:00")
const nowTime = today("09:00:00")

/** The cases of upstream's TestSyncRolloutStatus. */
const rows: readonly Row[] = [
  {
    name: "General: remove Progressing condition if deployment has no Progress Deadline",
    of: { ...reported(3, 2, 2, [updated]), spec: deployment(3).spec },
    counts: [3, 2, 3],
    current,
    expected: undefined,
  },
  {
    name: "General: a deadline of MaxInt32 is none",
    of: reported(3, 2, 2, [updated], infinite),
    counts: [3, 2, 3],
    current,
    expected: undefined,
  },
  {
    name: "General: do not estimate progress of deployment with only one active ReplicaSet",
    of: reported(3, 3, 3, [condition("NewReplicaSetAvailable")]),
    counts: [3, 3, 1],
    current,
    expected: condition("NewReplicaSetAvailable"),
  },
  {
    name: "DeploymentProgressing: dont update lastTransitionTime if deployment already has Progressing=True",
    of: reported(3, 2, 2, [updated]),
    counts: [3, 2, 3],
    current,
    expected: {
      reason: "ReplicaSetUpdated",
      message: 'ReplicaSet "web-2" is progressing.',
      lastUpdateTime: nowTime,
      lastTransitionTime: today("08:59:30"),
    },
  },
  {
    name: "DeploymentProgressing: update everything if deployment has Progressing=False",
    of: reported(3, 2, 2, [timedOut]),
    counts: [3, 2, 3],
    current,
    expected: { status: "True", reason: "ReplicaSetUpdated", lastUpdateTime: nowTime, lastTransitionTime: nowTime },
  },
  {
    name: "DeploymentProgressing: create Progressing condition if it does not exist",
    of: reported(3, 2, 2, []),
    counts: [3, 2, 3],
    current,
    expected: { status: "True", reason: "ReplicaSetUpdated" },
  },
  {
    name: "DeploymentProgressing: fewer old pods",
    of: { ...reported(3, 2, 2, [updated]), status: { ...reported(3, 2, 2, [updated]).status, replicas: 4 } },
    counts: [3, 2, 2],
    current,
    expected: { reason: "ReplicaSetUpdated", lastUpdateTime: nowTime },
  },
  {
    name: "DeploymentComplete: dont update lastTransitionTime if deployment already has Progressing=True",
    of: reported(3, 3, 3, [updated]),
    counts: [3, 3, 3],
    current,
    expected: {
      reason: "NewReplicaSetAvailable",
      message: 'ReplicaSet "web-2" has successfully progressed.',
      lastTransitionTime: today("08:59:30"),
    },
  },
  {
    name: "DeploymentComplete: update everything if deployment has Progressing=False",
    of: reported(3, 3, 3, [timedOut]),
    counts: [3, 3, 3],
    current,
    expected: { status: "True", reason: "NewReplicaSetAvailable", lastTransitionTime: nowTime },
  },
  {
    name: "DeploymentComplete: create Progressing condition if it does not exist",
    of: reported(3, 3, 3, []),
    counts: [3, 3, 3],
    current,
    expected: { reason: "NewReplicaSetAvailable", lastTransitionTime: nowTime },
  },
  {
    name: "DeploymentComplete: without a new ReplicaSet the Deployment is named",
    of: reported(0, 3, 3, [updated]),
    counts: [0, 0, 0],
    expected: { reason: "NewReplicaSetAvailable", message: 'Deployment "web" has successfully progressed.' },
  },
  {
    name: "DeploymentTimedOut: update status if rollout exceeds Progress Deadline",
    of: reported(3, 2, 2, [condition("ReplicaSetUpdated", "True", "08:58:59")]),
    counts: [2, 2, 2],
    current,
    expected: { status: "False", reason: "ProgressDeadlineExceeded", message: 'ReplicaSet "web-2" has timed out progressing.' },
  },
  {
    name: "DeploymentTimedOut: not at the very deadline",
    of: reported(3, 2, 2, [condition("ReplicaSetUpdated", "True", "08:59:00")]),
    counts: [2, 2, 2],
    current,
    expected: condition("ReplicaSetUpdated", "True", "08:59:00"),
  },
  {
    name: "DeploymentTimedOut: do not update status if deployment has existing timedOut condition",
    of: reported(3, 2, 2, [timedOut]),
    counts: [2, 2, 2],
    current,
    expected: timedOut,
  },
  {
    name: "the condition of the rollout before does not time out",
    of: reported(3, 2, 2, [condition("NewReplicaSetAvailable", "True", "01:00:00")]),
    counts: [3, 2, 2],
    current,
    expected: condition("NewReplicaSetAvailable", "True", "01:00:00"),
  },
]

describe("SyncRolloutStatus", () => {
  test.each(rows)("$name", ({ of, counts: [replicas, updatedReplicas, available], current, expected }) => {
    const status = { ...of.status, replicas, updatedReplicas, readyReplicas: available, availableReplicas: available }
    const found = estimateProgress(of, status, current, now).find(({ type }) => type === "Progressing")
    if (expected === undefined) expect(found).toBeUndefined()
    else expect(found).toMatchObject(expected)
  })
})

describe("RequeueStuckDeployment", () => {
  const since = (time: string) => [condition("ReplicaSetUpdated", "True", time)]
  test.each([
    { name: "nil progressDeadlineSeconds specified", of: { ...reported(4, 3, 2, []), spec: deployment(4).spec }, expected: undefined },
    { name: "infinite progressDeadlineSeconds specified", of: reported(4, 3, 2, since("08:59:30"), infinite), expected: undefined },
    { name: "no progressing condition found", of: reported(4, 3, 2, []), expected: undefined },
    { name: "complete deployment does not need to be requeued", of: reported(3, 3, 3, since("08:59:30")), expected: undefined },
    { name: "already failed deployment does not need to be requeued", of: reported(3, 3, 0, [timedOut]), expected: undefined },
    { name: "stuck deployment - 30s", of: reported(3, 3, 1, since("08:59:30")), expected: 30_000 },
    { name: "stuck deployment - 1s", of: reported(3, 3, 1, since("08:59:01")), expected: 1000 },
    { name: "failed deployment - now", of: reported(3, 3, 1, since("08:59:00")), expected: 0 },
    { name: "failed deployment - 1s after deadline", of: reported(3, 3, 1, since("08:58:59")), expected: 0 },
    { name: "failed deployment - 60s after deadline", of: reported(3, 3, 1, since("08:58:00")), expected: 0 },
  ])("$name", ({ of, expected }) => {
    expect(untilDeadline(of, of.status ?? {}, now)).toBe(expected)
  })

  test("a rollout that stands still is looked at again a second after its deadline", () => {
    const waiting = observed(deployment(3, { progressDeadlineSeconds: 60 }), [replicaSet(2, 3, { available: 1 })])
    const { status } = written(decide(waiting, context))
    const later = decide({ ...waiting, deployment: { ...waiting.deployment, status } }, { ...context, now: now + 20_000 })
    expect(operationsOf(later)).toEqual([])
    expect(later.requeue?.after).toBe(41_000)
    expect(later.waitingFor).toEqual(["pods to become available"])
  })
})

describe("pause", () => {
  const progress = (of: Deployment, ...sets: readonly ReplicaSet[]) =>
    written(decide(observed(of, sets), context)).status?.conditions?.find(({ type }) => type === "Progressing")
  const paused = { paused: true, progressDeadlineSeconds: 600 }

  test.each([
    {
      name: "is noted",
      of: deployment(3, paused),
      expected: { status: "Unknown", reason: "DeploymentPaused", message: "Deployment is paused", lastUpdateTime: nowTime },
    },
    { name: "is not noted without a deadline", of: deployment(3, { paused: true }), expected: undefined },
    {
      name: "does not hide that the rollout has failed",
      of: deployment(3, { ...paused, status: { conditions: [timedOut] } }),
      expected: timedOut,
    },
    {
      name: "ends, and the clock starts again",
      of: deployment(3, {
        progressDeadlineSeconds: 600,
        status: {
          conditions: [condition("DeploymentPaused", "Unknown")],
          replicas: 3,
          updatedReplicas: 3,
          readyReplicas: 2,
          availableReplicas: 2,
        },
      }),
      expected: { status: "Unknown", reason: "DeploymentResumed", message: "Deployment is resumed", lastUpdateTime: nowTime },
    },
  ])("$name", ({ of, expected }) => {
    const found = progress(of, replicaSet(2, 3, { available: 2 }))
    if (expected === undefined) expect(found).toBeUndefined()
    else expect(found).toMatchObject(expected)
  })

  test("makes no ReplicaSet, and moves nothing between those there are", () => {
    expect(sizes(decide(observed(deployment(4, { ...paused, image: 9 }), [replicaSet(1, 4)]), context))).toEqual([])
    expect(
      sizes(
        decide(
          observed(deployment(4, paused), [replicaSet(1, 4, { sizedFor: 4, max: 5 }), replicaSet(2, 1, { sizedFor: 4, max: 5 })]),
          context,
        ),
      ),
    ).toEqual([])
  })

  test("lets scaling through", () => {
    expect(sizes(decide(observed(deployment(6, { ...paused, image: 9 }), [replicaSet(1, 4)]), context))).toEqual(["web-1 → 6"])
  })
})

test("a ReplicaSet from before the progress deadline is reported as found", () => {
  const of = deployment(3, {
    progressDeadlineSeconds: 600,
    status: { replicas: 3, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 1 },
  })
  const { status } = written(decide(observed(of, [replicaSet(2, 3, { available: 1 })]), context))
  expect(status?.conditions).toMatchObject([
    { type: "Progressing", status: "True", reason: "FoundNewReplicaSet", message: 'Found new replica set "web-2"' },
    { type: "Available" },
  ])
})
