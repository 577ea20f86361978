import type { ControllerRevision } from "@pilothouse/api/apps/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { context, daemonSet, hashOf, kubeOperationsOf, nodes, observed, pod, proposalFor, revision } from "./testing/objects.ts"

const [first, second, third] = [1, 2, 3].map((image) => daemonSet({ image })) as [
  ReturnType<typeof daemonSet>,
  ReturnType<typeof daemonSet>,
  ReturnType<typeof daemonSet>,
]

function history(...given: Parameters<typeof observed>) {
  return kubeOperationsOf(decide(observed(...given), context))
    .filter(({ object, do: kind }) => object.kind === "ControllerRevision" || kind === "patch")
    .map((operation) => ({
      do: operation.do,
      name: operation.object.metadata.name,
      revision: (operation.object as ControllerRevision).revision,
    }))
}

describe("the history of a DaemonSet (ControlledHistories)", () => {
  test("a new template gets a revision above all others, before any pod of it", () => {
    const annotations = { "kubernetes.io/change-cause": "faster" }
    const of = daemonSet({ image: 3, metadata: { annotations } })
    const plan = decide(observed(of, { nodes: nodes(1), revisions: [revision(first, 1), revision(second, 4)] }), context)
    const [made, ...later] = kubeOperationsOf(plan)
    expect(made).toMatchObject({
      do: "create",
      object: {
        metadata: { name: `agent-${hashOf(of)}`, annotations, labels: { app: "agent", "controller-revision-hash": hashOf(of) } },
        revision: 5,
        data: { spec: { template: { $patch: "replace" } } },
      },
    })
    expect(later).toMatchObject([
      { do: "create", object: { kind: "Pod", metadata: { labels: { "controller-revision-hash": hashOf(of) } } } },
    ])
    expect(plan.steps[0]?.operations).toHaveLength(1)
  })

  test("a rollback makes an old revision the newest", () => {
    expect(history(first, { revisions: [revision(first, 1), revision(second, 2)] })).toEqual([
      { do: "update", name: `agent-${hashOf(first)}`, revision: 3 },
    ])
  })

  test("data is compared by meaning: another order and nulls are the same", () => {
    const { template } = first.spec!
    const data = {
      spec: { template: { spec: template.spec, metadata: { ...template.metadata, creationTimestamp: null }, $patch: "replace" } },
    }
    expect(history(first, { revisions: [{ ...revision(first, 1), data }] })).toEqual([])
  })

  test("of two that say the same the newer stays, and pods of the other get its label first", () => {
    const twin = revision(first, 2, { name: "agent-twin", uid: "twin", labels: { app: "agent", "controller-revision-hash": "twin" } })
    const pods = [pod("node-1"), pod("node-2", { labels: { "controller-revision-hash": "twin" } }), pod("node-3", { image: 2 })]
    const plan = decide(observed(first, { nodes: nodes(3), pods, revisions: [revision(first, 1), twin] }), context)
    const steps = plan.steps.map(({ operations }) => operations.map((operation) => operation.do)).filter((step) => step.length > 0)
    expect(steps.slice(0, 2)).toEqual([["patch"], ["delete"]])
    expect(kubeOperationsOf(plan).slice(0, 2)).toMatchObject([
      { object: { metadata: { name: "node-1-v1" } }, patch: { metadata: { labels: { "controller-revision-hash": "twin" } } } },
      { object: { metadata: { name: `agent-${hashOf(first)}` } } },
    ])
  })

  test("pods of a duplicate are not taken for old ones meanwhile", () => {
    const twin = revision(first, 2, { name: "agent-twin", uid: "twin", labels: { app: "agent", "controller-revision-hash": "twin" } })
    const plan = decide(observed(first, { nodes: nodes(1), pods: [pod("node-1")], revisions: [revision(first, 1), twin] }), context)
    expect(kubeOperationsOf(plan).map((operation) => operation.do)).toEqual(["patch", "delete", "status"])
    expect(kubeOperationsOf(plan).at(-1)).toMatchObject({ status: { updatedNumberScheduled: 1 } })
  })

  test("a revision without a label gets its name as one", () => {
    const bare = revision(first, 1, { labels: { app: "agent" } })
    const [update] = kubeOperationsOf(decide(observed(first, { revisions: [bare] }), context))
    expect(update).toMatchObject({ do: "update", object: { metadata: { labels: { "controller-revision-hash": bare.metadata.name } } } })
  })

  test("uses a revision of the same name and data, whatever owns it", () => {
    const existing = revision(first, 1, { ownerReferences: [] })
    expect(history(first, { revisions: [], proposal: { ...proposalFor(first), existing } })).toEqual([])
  })

  test("a name that was taken is remembered in the status", () => {
    const proposal = { ...proposalFor(first), collisionCount: 2 }
    const written = kubeOperationsOf(decide(observed(first, { revisions: [], proposal }), context)).at(-1)
    expect(written).toMatchObject({ do: "status", status: { collisionCount: 2 } })
  })

  test("beyond the limit the oldest go, but none that a pod still has", () => {
    const of = daemonSet({ image: 4, spec: { revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } } })
    const revisions = [revision(third, 3), revision(first, 1), revision(second, 2), revision(of, 4)]
    const pods = [pod("node-1", { image: 1 })]
    expect(history(of, { nodes: nodes(1), pods, revisions })).toEqual([
      { do: "delete", name: `agent-${hashOf(second)}`, revision: 2 },
      { do: "delete", name: `agent-${hashOf(third)}`, revision: 3 },
    ])
  })
})
