import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { rolloutLimits } from "./rolling-update.ts"
import { context, daemonSet, movesOf, node, nodes, observed, pod, rolling, surging } from "./testing/objects.ts"

const replacing = (maxUnavailable: number | string) =>
  daemonSet({ image: 2, spec: { updateStrategy: rolling({ maxUnavailable, maxSurge: 0 }) } })
const beside = (maxSurge: number | string, spec: Partial<DaemonSet["spec"]> = {}) =>
  daemonSet({ image: 2, spec: { updateStrategy: surging(maxSurge), ...spec } })
const old = (on: string, facts: Parameters<typeof pod>[1] = {}) => pod(on, { image: 1, ...facts })
const fresh = (on: string, facts: Parameters<typeof pod>[1] = {}) => pod(on, { image: 2, ...facts })

interface Row {
  readonly name: string
  readonly of: DaemonSet
  readonly on?: readonly Node[]
  readonly pods: readonly Pod[]
  readonly create?: readonly string[]
  readonly remove?: readonly string[]
}

function check({ of, on = nodes(4), pods, create = [], remove = [] }: Row): void {
  expect(movesOf(decide(observed(of, { nodes: on, pods }), context))).toEqual({ create, remove })
}

const three = ["node-1", "node-2", "node-3"]

describe("replacing old pods", () => {
  test.each<Row>([
    {
      name: "as many go as may be missing (DaemonSetUpdatesPods)",
      of: replacing(2),
      on: nodes(3),
      pods: three.map((on) => old(on)),
      remove: ["node-1-v1", "node-2-v1"],
    },
    {
      name: "deletes none while as many are missing",
      of: replacing(1),
      on: nodes(3),
      pods: [fresh("node-1", { ready: false }), old("node-2"), old("node-3")],
    },
    {
      name: "deletes none while a pod is being deleted",
      of: replacing(1),
      on: nodes(3),
      pods: [old("node-1", { deleting: true }), old("node-2"), old("node-3")],
    },
    {
      name: "a new pod that is not ready counts (DaemonSetUpdatesWhenNewPodIsNotReady)",
      of: replacing(2),
      on: nodes(3),
      pods: [fresh("node-1", { ready: false }), old("node-2"), old("node-3")],
      remove: ["node-2-v1"],
    },
    {
      name: "old pods that are not ready go whatever the limit, the healthy ones stay (DaemonSetUpdatesSaveOldHealthyPods)",
      of: replacing(1),
      on: nodes(3),
      pods: [old("node-1", { ready: false }), old("node-2", { ready: false }), old("node-3")],
      remove: ["node-1-v1", "node-2-v1"],
    },
    {
      name: "all old pods not ready go at once (DaemonSetUpdatesAllOldPodsNotReady)",
      of: replacing(1),
      on: nodes(3),
      pods: three.map((on) => old(on, { ready: false })),
      remove: three.map((on) => `${on}-v1`),
    },
    {
      name: "some old pods not ready leave room for others (DaemonSetUpdatesSomeOldPodsNotReady)",
      of: replacing(2),
      on: nodes(3),
      pods: [old("node-1", { ready: false }), old("node-2"), old("node-3")],
      remove: ["node-1-v1", "node-2-v1"],
    },
    {
      name: "old and new pods not ready: only the old go (DaemonSetUpdatesAllOldNotReadyPodsAndNewNotReadyPods)",
      of: replacing(1),
      on: nodes(3),
      pods: [old("node-1", { ready: false }), fresh("node-2", { ready: false }), fresh("node-3", { ready: false })],
      remove: ["node-1-v1"],
    },
    { name: "nothing to do when all are new (DaemonSetUpdatesNoTemplateChanged)", of: replacing(1), on: nodes(1), pods: [fresh("node-1")] },
    {
      name: "a missing pod is made before others are replaced",
      of: replacing(3),
      on: nodes(3),
      pods: [old("node-1"), old("node-2")],
      create: ["node-3"],
    },
    {
      name: "a percentage rounds up",
      of: replacing("30%"),
      pods: nodes(4).map(({ metadata }) => old(metadata.name!)),
      remove: ["node-1-v1", "node-2-v1"],
    },
    {
      name: "OnDelete replaces none",
      of: daemonSet({ image: 2, spec: { updateStrategy: { type: "OnDelete" } } }),
      on: nodes(1),
      pods: [old("node-1", { ready: false })],
    },
  ])("$name", check)
})

describe("new pods beside old ones", () => {
  test.each<Row>([
    {
      name: "on as many nodes as may surge (DaemonSetUpdatesPodsWithMaxSurge)",
      of: beside(2),
      on: nodes(3),
      pods: three.map((on) => old(on)),
      create: ["node-1", "node-2"],
    },
    {
      name: "no more while they are not available",
      of: beside(1),
      on: nodes(2),
      pods: [old("node-1"), fresh("node-1", { ready: false }), old("node-2")],
    },
    {
      name: "an old pod that is ready is kept while the new one is not (SurgePreservesReadyOldPods)",
      of: beside(1),
      on: nodes(1),
      pods: [old("node-1"), fresh("node-1", { ready: false })],
    },
    {
      name: "an old pod that is not ready goes (SurgeDeletesUnreadyOldPods)",
      of: beside(1),
      on: nodes(1),
      pods: [old("node-1", { ready: false }), fresh("node-1", { ready: false })],
      remove: ["node-1-v1"],
    },
    {
      name: "the old pod goes when the new one is available",
      of: beside(1),
      on: nodes(1),
      pods: [old("node-1"), fresh("node-1")],
      remove: ["node-1-v1"],
    },
    {
      name: "not before it has been ready for long enough (SurgePreservesOldReadyWithUnsatisfiedMinReady)",
      of: beside(1, { minReadySeconds: 60 }),
      on: nodes(1),
      pods: [old("node-1"), fresh("node-1", { readySince: "08:59:30" })],
    },
    {
      name: "at once when the old pod is not ready itself (SurgeDeletesOldReadyWithUnsatisfiedMinReady)",
      of: beside(1, { minReadySeconds: 60 }),
      on: nodes(1),
      pods: [old("node-1", { ready: false }), fresh("node-1", { readySince: "08:59:30" })],
      remove: ["node-1-v1"],
    },
    {
      name: "nodes whose old pod is not available are free (DaemonSetUpdatesAllOldPodsNotReadyMaxSurge)",
      of: beside(1),
      on: nodes(3),
      pods: [old("node-1", { ready: false }), old("node-2", { ready: false }), old("node-3")],
      create: ["node-1", "node-2", "node-3"],
    },
    {
      name: "of three pods the oldest old and the oldest new stay (SurgeDealsWithExistingPods)",
      of: beside(1),
      on: nodes(1),
      pods: [old("node-1"), old("node-1", { name: "other-old", created: "08:10:00" }), fresh("node-1", { ready: false })],
      remove: ["other-old"],
    },
    {
      name: "a pod under a new taint stays until its nodes are served (DaemonSetUpdatesPodsNotMatchTainstWithMaxSurge)",
      of: beside(1),
      on: [node("node-1", { taints: [{ key: "a", effect: "NoSchedule" }] }), node("node-2")],
      pods: [old("node-1"), fresh("node-2", { ready: false })],
    },
    {
      name: "and goes when they are",
      of: beside(1),
      on: [node("node-1", { taints: [{ key: "a", effect: "NoSchedule" }] }), node("node-2")],
      pods: [old("node-1"), fresh("node-2")],
      remove: ["node-1-v1"],
    },
    {
      name: "or when it is not available anyway",
      of: beside(1),
      on: [node("node-1", { taints: [{ key: "a", effect: "NoSchedule" }] }), node("node-2")],
      pods: [old("node-1", { ready: false }), fresh("node-2", { ready: false })],
      remove: ["node-1-v1"],
    },
    { name: "old pods of a node that is gone are let be", of: beside(1), on: nodes(1), pods: [fresh("node-1"), old("gone")] },
  ])("$name", check)
})

describe("GetUnavailableNumbers", () => {
  test.each([
    { name: "no nodes", limits: rolling({ maxUnavailable: 0, maxSurge: 0 }), count: 0, expected: [0, 0] },
    { name: "two nodes", limits: rolling({ maxUnavailable: 1, maxSurge: 0 }), count: 2, expected: [1, 0] },
    { name: "neither: one may be missing", limits: rolling({ maxUnavailable: 0, maxSurge: 0 }), count: 2, expected: [1, 0] },
    { name: "half of two", limits: rolling({ maxUnavailable: "50%", maxSurge: 0 }), count: 2, expected: [1, 0] },
    { name: "half of three is two", limits: rolling({ maxUnavailable: "50%", maxSurge: 0 }), count: 3, expected: [2, 0] },
    { name: "half of two, surge", limits: surging("50%"), count: 2, expected: [0, 1] },
    { name: "all of two, surge", limits: surging("100%"), count: 2, expected: [0, 2] },
    { name: "a small share is one", limits: surging("1%"), count: 10, expected: [0, 1] },
  ])("$name", ({ limits, count, expected }) => {
    const { maxUnavailable, maxSurge } = rolloutLimits(daemonSet({ spec: { updateStrategy: limits } }), count)
    expect([maxUnavailable, maxSurge]).toEqual(expected)
  })
})
