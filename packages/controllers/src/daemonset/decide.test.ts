import type { DaemonSet, DaemonSetStatus } from "@pilothouse/api/apps/v1"
import type { Node, Pod, Taint } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { context, daemonSet, kubeOperationsOf, movesOf, node, nodes, now, observed, operationsOf, pod, surging } from "./testing/objects.ts"

interface Row {
  readonly name: string
  readonly of?: DaemonSet
  readonly on: readonly Node[]
  readonly pods: readonly Pod[]
  readonly create?: readonly string[]
  readonly remove?: readonly string[]
}

const taint = (effect: Taint["effect"]): readonly Taint[] => [{ key: "dedicated", effect }]

const rows: readonly Row[] = [
  { name: "without nodes nothing is done (NoNodesDoesNothing)", on: [], pods: [] },
  { name: "every node gets a pod (SimpleDaemonSetLaunchesPods)", on: nodes(3), pods: [], create: ["node-1", "node-2", "node-3"] },
  { name: "a node that has one gets no second (DealsWithExistingPods)", on: nodes(2), pods: [pod("node-1")], create: ["node-2"] },
  {
    name: "of several the oldest stays",
    on: nodes(1),
    pods: [
      pod("node-1", { name: "young", created: "08:30:00" }),
      pod("node-1", { name: "old", created: "07:00:00" }),
      pod("node-1", { name: "b" }),
    ],
    remove: ["b", "young"],
  },
  {
    name: "of several one that has its node stays, however young",
    on: nodes(1),
    pods: [pod("node-1", { name: "waiting", created: "07:00:00", scheduled: false, phase: "Pending" }), pod("node-1", { name: "there" })],
    remove: ["waiting"],
  },
  {
    name: "of two of the same age the first by name stays",
    on: nodes(1),
    pods: [pod("node-1", { name: "b" }), pod("node-1", { name: "a" })],
    remove: ["b"],
  },
  {
    name: "a pod that waits for its node counts (PortConflictWithSameDaemonPodDoesNotDeletePod)",
    on: nodes(1),
    pods: [pod("node-1", { scheduled: false, phase: "Pending" })],
  },
  {
    name: "a pod on a node that it may not be on goes (SelectorDaemonDeletesUnselectedPods)",
    of: daemonSet({ template: { nodeSelector: { disk: "ssd" } } }),
    on: [node("a", { labels: { disk: "ssd" } }), node("b")],
    pods: [pod("b", { name: "misplaced" })],
    create: ["a"],
    remove: ["misplaced"],
  },
  {
    name: "a pod stays under a taint NoSchedule",
    on: [node("a", { taints: taint("NoSchedule") })],
    pods: [pod("a")],
  },
  {
    name: "under a taint NoSchedule no second pod is kept",
    on: [node("a", { taints: taint("NoSchedule") })],
    pods: [pod("a", { name: "x" }), pod("a", { name: "y" })],
    remove: ["y"],
  },
  {
    name: "a pod goes under a taint NoExecute",
    on: [node("a", { taints: taint("NoExecute") })],
    pods: [pod("a", { name: "evicted" })],
    remove: ["evicted"],
  },
  {
    name: "a failed pod goes, and its successor comes when it is gone (DaemonKillFailedPods)",
    on: nodes(1),
    pods: [pod("node-1", { name: "failed", phase: "Failed" })],
    remove: ["failed"],
  },
  {
    name: "a pod that has ended well goes too",
    on: nodes(1),
    pods: [pod("node-1", { name: "done", phase: "Succeeded" })],
    remove: ["done"],
  },
  {
    name: "while a pod is being deleted there is nothing to do (DaemonSetRespectsTermination)",
    on: nodes(1),
    pods: [pod("node-1", { deleting: true })],
  },
  {
    name: "a failed pod that is deleted, but kept by a finalizer, blocks nothing",
    on: nodes(1),
    pods: [pod("node-1", { deleting: true, phase: "Failed" })],
    create: ["node-1"],
  },
  {
    name: "a pod that waits for a node that is gone is deleted (DeleteUnscheduledPodForNotExistingNode)",
    on: nodes(1),
    pods: [pod("node-1"), pod("gone", { name: "orphan", scheduled: false, phase: "Pending" })],
    remove: ["orphan"],
  },
  {
    name: "a pod that was on a node that is gone is for pod-gc",
    on: nodes(1),
    pods: [pod("node-1"), pod("gone")],
  },
  {
    name: "a pod that says nothing of a node is let be",
    on: nodes(1),
    pods: [pod("node-1"), { ...pod("x", { scheduled: false }), spec: { containers: [] } }],
  },
  {
    name: "where a second pod is allowed, it does not wait for the first to stop (SurgeCreatesNewPodWhenAtMaxSurgeAndOldPodDeleted)",
    of: daemonSet({ spec: { updateStrategy: surging(1) } }),
    on: nodes(1),
    pods: [pod("node-1", { deleting: true })],
    create: ["node-1"],
  },
]

describe("one pod on every node", () => {
  test.each(rows)("$name", ({ of = daemonSet(), on, pods, create = [], remove = [] }) => {
    expect(movesOf(decide(observed(of, { nodes: on, pods }), context))).toEqual({ create, remove })
  })

  test("pods are made slowly at first, and old ones go even if new ones are refused (SimpleDaemonSetPodCreateErrors)", () => {
    const { steps } = decide(observed(daemonSet(), { nodes: nodes(3), pods: [pod("node-1", { phase: "Failed" })] }), context)
    const [creation, deletion] = steps.filter(({ operations }) => operations.length > 0)
    expect(creation).toMatchObject({ slowStart: true, onFailure: "continue", operations: [{ do: "create" }, { do: "create" }] })
    expect(deletion?.operations.map((operation) => operation.do)).toEqual(["remember-failure", "delete"])
  })

  test("at most 250 are made and 250 deleted at once", () => {
    const surplus = nodes(300).map(({ metadata }) => pod(metadata.name ?? "", { name: `second-${metadata.name}`, created: "08:10:00" }))
    const first = nodes(300).map(({ metadata }) => pod(metadata.name ?? ""))
    const more = Array.from({ length: 300 }, (_, index) => node(`new-${index}`))
    const { create, remove } = movesOf(
      decide(observed(daemonSet(), { nodes: [...nodes(300), ...more], pods: [...surplus, ...first] }), context),
    )
    expect([create.length, remove.length]).toEqual([250, 250])
  })

  test("every operation says why", () => {
    const plan = decide(observed(daemonSet(), { nodes: nodes(2), pods: [pod("node-1", { phase: "Failed" })] }), context)
    expect(operationsOf(plan).map(({ reason }) => reason)).toEqual([
      "node-2 should run a pod and has none",
      "the next failure there has to wait longer",
      "it failed on node-1",
    ])
  })
})

describe("failed pods (DaemonKillFailedPodsBackoff)", () => {
  const failed = observed(daemonSet(), { nodes: nodes(1), pods: [pod("node-1", { name: "failed", phase: "Failed" })] })

  test("one that failed again soon stays for a while", () => {
    const plan = decide({ ...failed, backoffs: new Map([["node-1", { since: now - 300, wait: 1_000 }]]) }, context)
    expect(movesOf(plan)).toEqual({ create: [], remove: [] })
    expect(plan.requeue).toEqual({ after: 700, reason: "a failed pod may be deleted then" })
  })

  test("and goes when the time is over", () => {
    const plan = decide({ ...failed, backoffs: new Map([["node-1", { since: now - 1_000, wait: 1_000 }]]) }, context)
    expect(movesOf(plan).remove).toEqual(["failed"])
  })

  test("of two on a node one goes now, the other after its wait", () => {
    const two = [pod("node-1", { name: "a", phase: "Failed" }), pod("node-1", { name: "b", phase: "Failed" })]
    const plan = decide({ ...failed, pods: two }, context)
    expect(movesOf(plan).remove).toEqual(["a"])
    expect(plan.requeue).toBeDefined()
  })
})

describe("claims and status", () => {
  const adoption: KubeOperation = { do: "patch", object: pod("node-1"), patch: {}, reason: "it has no owner" }
  const written = (plan: ReturnType<typeof decide>) =>
    kubeOperationsOf(plan).flatMap((operation) => (operation.do === "status" ? [operation.status as DaemonSetStatus] : []))

  test("what counts on adopted pods begins when they are adopted", () => {
    const { steps } = decide(observed(daemonSet(), { nodes: nodes(1), claims: [adoption] }), context)
    expect(steps[0]?.operations).toEqual([adoption])
  })

  test("a DaemonSet that is being deleted does nothing (DontDoAnythingIfBeingDeleted)", () => {
    const of = daemonSet({ metadata: { deletionTimestamp: "2026-01-05T08:59:00Z" } })
    expect(operationsOf(decide(observed(of, { nodes: nodes(2) }), context))).toEqual([])
  })

  test("a selector of everything is refused in words (PodIsNotDeletedByDaemonsetWithEmptyLabelSelector)", () => {
    const plan = decide(observed(daemonSet({ spec: { selector: {} } }), { nodes: nodes(2), pods: [pod("elsewhere")] }), context)
    expect(operationsOf(plan)).toEqual([])
    expect(plan.events).toMatchObject([{ type: "Warning", reason: "SelectingAll" }])
  })

  test("counts nodes, not pods (NumberReadyStatus, ObservedGeneration)", () => {
    const on = [...nodes(3), node("tainted", { taints: taint("NoSchedule") })]
    const pods = [pod("node-1"), pod("node-2", { ready: false }), pod("tainted")]
    const of = daemonSet({ spec: { updateStrategy: { type: "OnDelete" } } })
    const held = [...pods, pod("node-3", { image: 2, deleting: true })]
    expect(written(decide(observed(of, { nodes: on, pods: held }), context))).toEqual([
      {
        desiredNumberScheduled: 3,
        currentNumberScheduled: 3,
        numberMisscheduled: 1,
        numberReady: 2,
        updatedNumberScheduled: 2,
        numberAvailable: 2,
        numberUnavailable: 1,
        observedGeneration: 1,
      },
    ])
  })

  test("is written only when it changes (StoreDaemonSetStatus)", () => {
    const before = observed(daemonSet(), { nodes: nodes(1), pods: [pod("node-1")] })
    const [status] = written(decide(before, context))
    expect(operationsOf(decide({ ...before, daemonSet: { ...before.daemonSet, status } }, context))).toEqual([])
  })

  test("waits for the reconcile that new pods cause", () => {
    expect(written(decide(observed(daemonSet(), { nodes: nodes(1) }), context))).toEqual([])
  })

  test("requeues for the moment a ready pod becomes available", () => {
    const of = daemonSet({ spec: { minReadySeconds: 60 } })
    const plan = decide(observed(of, { nodes: nodes(1), pods: [pod("node-1", { readySince: "08:59:20" })] }), context)
    expect(plan.requeue).toEqual({ after: 20_000, reason: "a ready pod becomes available then" })
    expect(written(plan)).toMatchObject([{ numberReady: 1, numberUnavailable: 1 }])
  })
})
