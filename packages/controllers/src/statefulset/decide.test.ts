import type { StatefulSet, StatefulSetStatus } from "@pilothouse/api/apps/v1"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import {
  claimOf,
  context,
  kubeOperationsOf,
  movesOf,
  nameFor,
  observed,
  operationsOf,
  parallel,
  pod,
  pods,
  statefulSet,
  withClaims,
} from "./testing/objects.ts"

interface Row {
  readonly name: string
  readonly of: StatefulSet
  readonly pods: readonly Pod[]
  readonly claims?: readonly PersistentVolumeClaim[]
  readonly expected: readonly string[]
  readonly waitFor?: string
}

function check({ of, pods: given, claims, expected, waitFor }: Row): void {
  const plan = decide(observed(of, { pods: given, claims }), context)
  expect(movesOf(plan)).toEqual(expected)
  expect(plan.waitingFor).toEqual(waitFor === undefined ? [] : [waitFor])
}

const slow = { minReadySeconds: 60 }

describe("in order", () => {
  test.each<Row>([
    { name: "no pods are wanted, none are made", of: statefulSet(0), pods: [], expected: [] },
    {
      name: "the first pod comes alone (StatefulSetControllerCreates)",
      of: statefulSet(3),
      pods: [],
      expected: ["create web-0"],
      waitFor: "web-0 to be available",
    },
    {
      name: "the next comes when it is ready",
      of: statefulSet(3),
      pods: pods(1),
      expected: ["create web-1"],
      waitFor: "web-1 to be available",
    },
    {
      name: "not sooner (StatefulSetControllerBlocksScaling)",
      of: statefulSet(3),
      pods: [pod(0, { ready: false })],
      expected: [],
      waitFor: "web-0 to be running and ready",
    },
    {
      name: "a pod that is ready but does not run is not enough",
      of: statefulSet(2),
      pods: [pod(0, { phase: "Pending", ready: true })],
      expected: [],
      waitFor: "web-0 to be running and ready",
    },
    {
      name: "nor one that is not available yet",
      of: statefulSet(3, { spec: slow }),
      pods: [pod(0, { readySince: "08:59:30" })],
      expected: [],
      waitFor: "web-0 to be available",
    },
    {
      name: "nor while one before it stops (StatefulSetControllerRespectsTermination)",
      of: statefulSet(3),
      pods: [pod(0, { deleting: true })],
      expected: [],
      waitFor: "web-0 to be gone",
    },
    {
      name: "a gap is filled first",
      of: statefulSet(3),
      pods: [pod(0), pod(2)],
      expected: ["create web-1"],
      waitFor: "web-1 to be available",
    },
    {
      name: "a failed pod goes",
      of: statefulSet(2),
      pods: [pod(0, { phase: "Failed" }), pod(1)],
      expected: ["delete web-0"],
      waitFor: "web-0 to be gone",
    },
    {
      name: "so does one that ended well",
      of: statefulSet(2),
      pods: [pod(0, { phase: "Succeeded" })],
      expected: ["delete web-0"],
      waitFor: "web-0 to be gone",
    },
    { name: "once", of: statefulSet(2), pods: [pod(0, { phase: "Failed", deleting: true })], expected: [], waitFor: "web-0 to be gone" },
    {
      name: "numbers may begin elsewhere (StatefulSetControlWithStartOrdinal)",
      of: statefulSet(2, { spec: { ordinals: { start: 5 } } }),
      pods: [pod(5)],
      expected: ["create web-6"],
      waitFor: "web-6 to be available",
    },
    { name: "all is well", of: statefulSet(2), pods: pods(2), expected: [] },
  ])("$name", check)
})

describe("scaling down in order", () => {
  test.each<Row>([
    {
      name: "the last goes (StatefulSetControllerDeletes)",
      of: statefulSet(1),
      pods: pods(3),
      expected: ["delete web-2"],
      waitFor: "web-2 to be gone",
    },
    {
      name: "the next when it is gone",
      of: statefulSet(1),
      pods: [pod(0), pod(1), pod(2, { deleting: true })],
      expected: [],
      waitFor: "web-2 to be gone",
    },
    {
      name: "below the first number too",
      of: statefulSet(1, { spec: { ordinals: { start: 1 } } }),
      pods: pods(2),
      expected: ["delete web-0"],
      waitFor: "web-0 to be gone",
    },
    {
      name: "not before all that stay are available",
      of: statefulSet(1),
      pods: [pod(0, { ready: false }), pod(1)],
      expected: [],
      waitFor: "web-0 to be running and ready",
    },
    {
      name: "a broken one goes, if it is the first that is broken",
      of: statefulSet(1),
      pods: [pod(0), pod(1), pod(2, { ready: false })],
      expected: ["delete web-2"],
      waitFor: "web-2 to be gone",
    },
    {
      name: "else that one is waited for",
      of: statefulSet(1),
      pods: [pod(0), pod(1, { ready: false }), pod(2, { ready: false })],
      expected: [],
      waitFor: "web-1 to be available before web-2 goes",
    },
    {
      name: "a healthy one above a broken one may go",
      of: statefulSet(1),
      pods: [pod(0), pod(1, { ready: false }), pod(2)],
      expected: ["delete web-2"],
      waitFor: "web-2 to be gone",
    },
    {
      name: "one that is ready, but not for long enough, counts as broken (StatefulSetScaleDownRespectsMinReadySeconds)",
      of: statefulSet(1, { spec: slow }),
      pods: [pod(0), pod(1, { readySince: "08:59:30" }), pod(2, { readySince: "08:59:30" })],
      expected: [],
      waitFor: "web-1 to be available before web-2 goes",
    },
    {
      name: "two that have ended go one by one: neither ever gets better",
      of: statefulSet(1),
      pods: [pod(0), pod(1, { phase: "Failed" }), pod(2, { phase: "Failed" })],
      expected: ["delete web-2"],
      waitFor: "web-2 to be gone",
    },
    {
      name: "a broken one does not wait for one below it that has ended",
      of: statefulSet(1),
      pods: [pod(0), pod(1, { phase: "Failed" }), pod(2, { ready: false })],
      expected: ["delete web-2"],
      waitFor: "web-2 to be gone",
    },
    {
      name: "scaling down comes before a rollout",
      of: statefulSet(1, { image: 2, current: 1 }),
      pods: pods(2),
      expected: ["delete web-1"],
      waitFor: "web-1 to be gone",
    },
  ])("$name", check)
})

describe("in parallel (ParallelScale)", () => {
  test.each<Row>([
    {
      name: "all come at once",
      of: statefulSet(3, { spec: parallel }),
      pods: [],
      expected: ["create web-0", "create web-1", "create web-2"],
      waitFor: "pods that are missing",
    },
    {
      name: "whatever state others are in",
      of: statefulSet(3, { spec: parallel }),
      pods: [pod(0, { ready: false })],
      expected: ["create web-1", "create web-2"],
      waitFor: "pods that are missing",
    },
    {
      name: "all go at once",
      of: statefulSet(1, { spec: parallel }),
      pods: pods(3),
      expected: ["delete web-2", "delete web-1"],
      waitFor: "web-2 to be gone",
    },
    {
      name: "a failed pod goes, and others come",
      of: statefulSet(2, { spec: parallel }),
      pods: [pod(0, { phase: "Failed" })],
      expected: ["create web-1", "delete web-0"],
      waitFor: "pods that are missing",
    },
  ])("$name", check)

  test("slowly at first", () => {
    const { steps } = decide(observed(statefulSet(3, { spec: parallel })), context)
    expect(steps.find(({ operations }) => operations.length > 0)).toMatchObject({ slowStart: true })
  })
})

describe("claims", () => {
  const one = statefulSet(1, { spec: withClaims })
  const waiting = pod(0, { phase: "Pending" }, withClaims)

  test("come before their pod, with the labels of template and selector (StatefulPodControlCreatesPods)", () => {
    const plan = decide(observed(one), context)
    expect(movesOf(plan)).toEqual(["create data-web-0", "create web-0"])
    const [claim, made] = kubeOperationsOf(plan)
    expect(claim?.object).toEqual({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "data-web-0", namespace: "default", labels: { kind: "fast", app: "web" } },
      spec: withClaims.volumeClaimTemplates?.[0]?.spec,
    })
    expect((made!.object as Pod).spec?.volumes).toEqual([{ name: "data", persistentVolumeClaim: { claimName: "data-web-0" } }])
    expect(plan.steps.filter(({ operations }) => operations.length > 0).map(({ operations }) => operations.length)).toEqual([1, 1])
  })

  test.each<Row>([
    {
      name: "one that is there is used again",
      of: one,
      pods: [],
      claims: [claimOf(0)],
      expected: ["create web-0"],
      waitFor: "web-0 to be available",
    },
    {
      name: "one that was lost comes again for a pod that waits",
      of: one,
      pods: [waiting],
      expected: ["create data-web-0"],
      waitFor: "web-0 to be running and ready",
    },
    {
      name: "one that is being deleted is waited for (StatefulPodControlCreatePodPVCDeleting)",
      of: one,
      pods: [],
      claims: [claimOf(0, { deletionTimestamp: "2026-01-05T08:59:00Z" })],
      expected: [],
      waitFor: "pvc data-web-0 is being deleted",
    },
  ])("$name", check)

  test("and records an event", () => {
    const { events } = decide(observed(one, { claims: [claimOf(0, { deletionTimestamp: "2026-01-05T08:59:00Z" })] }), context)
    expect(events).toMatchObject([
      {
        type: "Warning",
        reason: "FailedCreate",
        message: "Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted",
      },
    ])
  })
})

describe("identity", () => {
  test("a new pod knows its name, its number and its service", () => {
    const [made] = kubeOperationsOf(decide(observed(statefulSet(1)), context))
    expect(made?.object).toMatchObject({
      metadata: {
        name: "web-0",
        labels: {
          app: "web",
          "statefulset.kubernetes.io/pod-name": "web-0",
          "apps.kubernetes.io/pod-index": "0",
          "controller-revision-hash": nameFor(1),
        },
      },
      spec: { hostname: "web-0", subdomain: "web" },
    })
  })

  test("a label that was lost is put back (StatefulPodControlUpdatesIdentity)", () => {
    const bare = pod(0, { labels: { "statefulset.kubernetes.io/pod-name": undefined } })
    const [update] = kubeOperationsOf(decide(observed(statefulSet(1), { pods: [bare] }), context))
    expect(update).toMatchObject({ do: "update", object: { metadata: { labels: { "statefulset.kubernetes.io/pod-name": "web-0" } } } })
  })

  test("volumes that are missing are asked for, with their claims (StatefulPodControlUpdatesPodStorage)", () => {
    const plan = decide(observed(statefulSet(1, { spec: withClaims }), { pods: [pod(0)] }), context)
    expect(movesOf(plan)).toEqual(["create data-web-0", "update web-0"])
  })
})

describe("status", () => {
  const written = (plan: ReturnType<typeof decide>) =>
    kubeOperationsOf(plan).flatMap((operation) => (operation.do === "status" ? [operation.status as StatefulSetStatus] : []))

  test("counts pods, ready ones, available ones, and those of each revision", () => {
    const of = statefulSet(4, { image: 2, current: 1, spec: { ...slow, updateStrategy: { type: "OnDelete" } } })
    const given = [pod(0), pod(1, { readySince: "08:59:30" }), pod(2, { image: 2, ready: false }), pod(3, { deleting: true })]
    expect(written(decide(observed(of, { pods: given }), context))).toEqual([
      {
        replicas: 4,
        readyReplicas: 3,
        availableReplicas: 2,
        currentReplicas: 2,
        updatedReplicas: 1,
        currentRevision: nameFor(1),
        updateRevision: nameFor(2),
        collisionCount: 0,
        observedGeneration: 1,
      },
    ])
  })

  test("an update that is complete makes the new revision the current one", () => {
    const [status] = written(decide(observed(statefulSet(2, { image: 2, current: 1 }), { pods: pods(2, { image: 2 }) }), context))
    expect(status).toMatchObject({ currentRevision: nameFor(2), updateRevision: nameFor(2), currentReplicas: 2 })
  })

  test("is written only when it changes", () => {
    const before = observed(statefulSet(1), { pods: pods(1) })
    const [status] = written(decide(before, context))
    expect(operationsOf(decide({ ...before, set: { ...before.set, status } }, context))).toEqual([])
  })

  test("waits for the reconcile that a new pod enqueues, but not when it has to record a revision", () => {
    expect(written(decide(observed(statefulSet(1)), context))).toEqual([])
    expect(written(decide(observed(statefulSet(1, { status: { currentRevision: undefined } })), context))).toHaveLength(1)
  })

  test("of a set that is being deleted is still counted, and nothing else is done (StatefulSetControllerDeletionTimestamp)", () => {
    const of = statefulSet(3, { image: 2, current: 1, metadata: { deletionTimestamp: "2026-01-05T08:59:00Z" } })
    const plan = decide(observed(of, { pods: pods(1), revisions: [] }), context)
    expect(operationsOf(plan).map((operation) => operation.do)).toEqual(["status"])
    expect(written(plan)).toMatchObject([{ replicas: 1, currentRevision: nameFor(1) }])
  })

  test("is looked at again the very moment a pod becomes available (StatefulSetAvailabilityCheck)", () => {
    const plan = decide(observed(statefulSet(1, { spec: slow }), { pods: [pod(0, { readySince: "08:59:20" })] }), context)
    expect(plan.requeue).toEqual({ after: 20_000, reason: "a ready pod becomes available then" })
  })
})
