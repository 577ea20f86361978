import type { Node, Pod, PodSpec } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import type { Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Observed } from "./cache/observe.ts"
import { decide } from "./decide.ts"
import { observed, type Situation, testNode, testPod } from "./testing/objects.ts"

const now = Date.parse("2026-01-05T09:00:00Z")

function decided(pod: Pod, situation: Situation, more: Partial<Observed> = {}): Plan {
  return decide({ ...observed(pod, situation), ...more }, { now, random: seededRandom(1) })
}

/** The message of the event FailedScheduling. */
function told(plan: Plan): string | undefined {
  return plan.events.find(({ reason }) => reason === "FailedScheduling")?.message
}

function done(plan: Plan): readonly string[] {
  return plan.steps.flatMap(({ operations }) => operations.map((operation) => operation.do))
}

const nodes = [testNode("a"), testNode("b"), testNode("c", { spec: { unschedulable: true } })]
const full = (on: string, priority = 0) => testPod(`full-${on}`, { requests: { cpu: "4" }, spec: { nodeName: on, priority } })
const label = (value: string) => ({ matchExpressions: [{ key: `is-${value}`, operator: "In", values: [value] }] })
const noHelp = (count: number, of = count) => `preemption: 0/${of} nodes are available: ${count} Preemption is not helpful for scheduling`
const onNode = (...names: readonly string[]): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: names.map((name) => ({ key: "metadata.name", operator: "In", values: [name] })) }],
      },
    },
  },
})

describe("a pod of very many terms", () => {
  const term = { labelSelector: { matchExpressions: [{ key: "a", operator: "NotIn", values: ["x"] }] }, topologyKey: "zone" }
  const preferred = (count: number) => Array.from({ length: count }, () => ({ weight: 1, podAffinityTerm: term }))
  const withTerms = (count: number, more: Partial<PodSpec> = {}) =>
    testPod("p", { spec: { ...more, affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred(count) } } } })

  test("100 are weighed, 101 are refused", () => {
    expect(done(decided(withTerms(100), { nodes }))).toContain("bind")
    expect(told(decided(withTerms(101), { nodes }))).toContain(
      "expected at most 100 pod affinity terms and topology spread constraints, found 101",
    )
  })

  test("spread constraints count with them", () => {
    const spread = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" } as const
    expect(told(decided(withTerms(100, { topologySpreadConstraints: [spread] }), { nodes }))).toContain("found 101")
  })

  test("those of one that is on a node already do not count for others", () => {
    const required = Array.from({ length: 101 }, () => ({ topologyKey: "kubernetes.io/hostname", labelSelector: {} }))
    const spec = { nodeName: "a", affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }
    const placed = testPod("placed", { spec })
    expect(done(decided(testPod("p"), { nodes: [testNode("a")], pods: [placed] }))).toContain("bind")
  })
})

describe("the message for a pod that no node takes", () => {
  const rows: readonly (readonly [string, Pod, Situation, string])[] = [
    ["there are no nodes", testPod("p"), { nodes: [] }, "no nodes available to schedule pods"],
    [
      "the same reason is counted, and reasons are sorted by their text",
      testPod("p", { requests: { cpu: "5" } }),
      { nodes },
      `0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. ${noHelp(3)}.`,
    ],
    [
      "nodes are full of pods that are as important",
      testPod("p", { requests: { cpu: "1" } }),
      { nodes, pods: [full("a"), full("b")] },
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.",
    ],
    [
      "it may not make others leave",
      testPod("p", { requests: { cpu: "1" }, spec: { priority: 1, preemptionPolicy: "Never" } }),
      { nodes: [testNode("a")], pods: [full("a")] },
      "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
    ],
    [
      "a claim is missing",
      testPod("p"),
      { nodes: [testNode("a")], volumes: { claims: [], blocked: 'persistentvolumeclaim "x" not found' } },
      `0/1 nodes are available: persistentvolumeclaim "x" not found. ${noHelp(1)}.`,
    ],
    [
      "it names a node that is full",
      testPod("p", { requests: { cpu: "9" }, spec: onNode("a") }),
      { nodes },
      `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${noHelp(3)}.`,
    ],
    [
      "it names two nodes at once",
      testPod("p", { spec: onNode("a", "b") }),
      { nodes },
      `0/3 nodes are available: pod affinity terms conflict. ${noHelp(3)}.`,
    ],
  ]
  test.each(rows)("%s", (_what, pod, situation, expected) => {
    const plan = decided(pod, situation)
    expect(told(plan)).toBe(expected)
    expect(done(plan)).toEqual(["patch", "note-refusal"])
    expect(plan.steps[0]?.operations[0]).toMatchObject({
      subresource: "status",
      patch: { status: { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: expected }] } },
    })
  })

  test("the status is not written again when it says so already", () => {
    const pod = testPod("p")
    const condition = {
      type: "PodScheduled",
      status: "False" as const,
      reason: "Unschedulable",
      message: "no nodes available to schedule pods",
    }
    expect(done(decided({ ...pod, status: { conditions: [condition] } }, { nodes: [] }))).toEqual(["note-refusal"])
  })

  test("the condition says since when, and of which version of the pod", () => {
    const said = (pod: Pod, condition: object) =>
      expect(decided(pod, { nodes: [] }).steps[0]?.operations[0]).toMatchObject({ patch: { status: { conditions: [condition] } } })
    said(testPod("p"), { lastTransitionTime: "2026-01-05T09:00:00Z", observedGeneration: 1 })
    const lastTransitionTime = "2026-01-05T08:00:00Z"
    const earlier = {
      type: "PodScheduled",
      status: "False" as const,
      reason: "Unschedulable",
      message: "something else",
      lastTransitionTime,
    }
    said({ ...testPod("p"), status: { conditions: [earlier] } }, { lastTransitionTime })
  })

  test("where there are no nodes nothing but a node helps", () => {
    expect(decided(testPod("p"), { nodes: [] }).steps[0]?.operations.at(-1)).toMatchObject({ do: "note-refusal", by: [] })
  })

  test("a place that was kept for it is free again", () => {
    const plan = decided(
      testPod("p"),
      { nodes: [testNode("a", { spec: { unschedulable: true } })] },
      { reserved: { node: "a", until: now + 1000 } },
    )
    expect(done(plan)).toEqual(["release-place", "patch", "note-refusal"])
  })

  test("an event has room for 1024 characters, the condition for all", () => {
    const blocked = "x".repeat(2000)
    expect(told(decided(testPod("p"), { nodes: [testNode("a")], volumes: { claims: [], blocked } }))).toMatch(/^.{1020} \.\.\.$/)
  })
})

describe("where a pod goes", () => {
  test("to the node with the most room, and it says why", () => {
    const situation = { nodes, pods: [testPod("q", { on: "a", requests: { cpu: "1" } })] }
    const pod = testPod("p", { requests: { cpu: "1", memory: "1Gi" } })
    const drawn = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => decide(observed(pod, situation), { now, random: seededRandom(seed) }))
    expect(drawn.map(({ steps }) => steps[0]?.operations)).toMatchObject(drawn.map(() => [{ do: "bind", node: "b" }]))
    const plan = drawn[0]!
    expect(plan.steps[0]?.operations).toMatchObject([{ do: "bind", node: "b" }])
    expect(plan.events).toMatchObject([{ reason: "Scheduled", message: "Successfully assigned default/p to b", action: "Binding" }])
  })

  test("equal nodes are drawn by lot", () => {
    const equal = Array.from({ length: 4 }, (_, at) => testNode(`n${at}`))
    const random = seededRandom(7)
    const drawn = Array.from(
      { length: 40 },
      () => decide(observed(testPod("p"), { nodes: equal }), { now, random }).steps[0]?.operations[0],
    )
    expect(new Set(drawn.map((operation) => operation && "node" in operation && operation.node)).size).toBe(4)
  })

  const field = (operator: "In" | "NotIn", ...values: readonly string[]) => ({
    matchFields: [{ key: "metadata.name", operator, values: [...values] }],
  })
  const wanting = (...nodeSelectorTerms: readonly object[]): Partial<PodSpec> =>
    ({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } }) as Partial<PodSpec>
  test.each([
    ["not to the one that it names as not wanted", wanting(field("NotIn", "a"))],
    ["to one with a label, where it names another that is not there", wanting(field("In", "x"), label("b"))],
    ["to one of two that it names", wanting(field("In", "b"), field("In", "x"))],
  ])("%s", (_what, spec) => {
    const labelled = [testNode("a"), testNode("b", { labels: { "is-b": "b" } })]
    expect(decided(testPod("p", { spec }), { nodes: labelled }).steps[0]?.operations).toMatchObject([{ do: "bind", node: "b" }])
  })

  test("to the node that was emptied for it, though another has more room", () => {
    const pod = { ...testPod("p", { requests: { cpu: "1" } }), status: { nominatedNodeName: "a" } }
    const plan = decided(pod, { nodes, pods: [testPod("q", { on: "a", requests: { cpu: "2" } })] })
    expect(plan.steps[0]?.operations).toMatchObject([{ do: "bind", node: "a" }])
  })
})

describe("a pod that was refused", () => {
  const attempt = (count: number, ago: number) => ({ key: "default/p", priority: 0, count, by: new Set<never>(), at: now - ago })
  const rows: readonly (readonly [string, Partial<Observed>, number | undefined])[] = [
    ["waits a second while others were not tried yet", { attempt: attempt(1, 0), untried: 1 }, 1000],
    ["waits twice as long after the second try", { attempt: attempt(2, 500), untried: 1 }, 1500],
    ["waits ten seconds at most", { attempt: attempt(30, 0), untried: 1 }, 10_000],
    ["does not wait when no other pod does", { attempt: attempt(30, 0), untried: 0 }, undefined],
    ["has waited long enough", { attempt: attempt(1, 1000), untried: 5 }, undefined],
    [
      "does not wait when a place is kept for it",
      { attempt: attempt(1, 0), untried: 5, reserved: { node: "a", until: now + 1 } },
      undefined,
    ],
  ]
  test.each(rows)("%s", (_what, more, after) => expect(decided(testPod("p"), { nodes }, more).requeue?.after).toBe(after))
})

describe("pods that have to leave for one of higher priority", () => {
  const important = testPod("p", { requests: { cpu: "3" }, spec: { priority: 100 } })
  const lesser = (name: string, on: string, cpu: string, priority: number, labels?: Record<string, string>): Pod =>
    testPod(name, { labels, requests: { cpu }, spec: { nodeName: on, priority } })
  const victims = (plan: Plan) =>
    plan.steps.flatMap(({ operations }) =>
      operations.flatMap((operation) => (operation.do === "delete" && "object" in operation ? [operation.object.metadata.name] : [])),
    )
  const two: readonly Node[] = [testNode("a"), testNode("b")]
  const budget = (disruptionsAllowed: number): PodDisruptionBudget => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "default" },
    spec: { selector: { matchLabels: { app: "kept" } } },
    status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
  })
  const rows: readonly (readonly [string, Situation, readonly string[]])[] = [
    ["the less important", { nodes: two, pods: [lesser("x", "a", "4", 50), lesser("y", "b", "4", 10)] }, ["y"]],
    [
      "no more than must",
      { nodes: [testNode("a")], pods: [lesser("x", "a", "2", 10), lesser("y", "a", "1", 5), lesser("z", "a", "1", 1)] },
      ["x", "z"],
    ],
    [
      "one rather than two of the same priority",
      { nodes: two, pods: [lesser("x", "a", "2", 1), lesser("y", "a", "2", 1), lesser("z", "b", "4", 1)] },
      ["z"],
    ],
    [
      "not those that a budget keeps, if others can",
      { nodes: two, pods: [lesser("x", "a", "4", 1, { app: "kept" }), lesser("y", "b", "4", 50)], budgets: [budget(0)] },
      ["y"],
    ],
    [
      "those that a budget allows",
      { nodes: two, pods: [lesser("x", "a", "4", 1, { app: "kept" }), lesser("y", "b", "4", 50)], budgets: [budget(1)] },
      ["x"],
    ],
    [
      "those that a budget protects, if there are no others",
      { nodes: [testNode("a")], pods: [lesser("x", "a", "4", 1, { app: "kept" })], budgets: [budget(0)] },
      ["x"],
    ],
    ["none of the same priority", { nodes: [testNode("a")], pods: [lesser("x", "a", "4", 100)] }, []],
    ["none, if it would not help", { nodes: [testNode("a")], pods: [lesser("x", "a", "2", 100), lesser("y", "a", "2", 1)] }, []],
  ]
  test.each(rows)("%s", (_what, situation, expected) => expect(victims(decided(important, situation))).toEqual(expected))

  test("they get their condition first, the pod is nominated, and the state is restored", () => {
    const seen = observed(important, { nodes: [testNode("a")], pods: [lesser("x", "a", "4", 1)] })
    const plan = decide(seen, { now, random: seededRandom(1) })
    expect(plan.steps.map(({ operations }) => operations.map((operation) => operation.do))).toEqual([
      ["patch"],
      ["delete"],
      ["nominate-pod", "patch", "note-refusal"],
    ])
    expect(plan.steps[2]?.operations[1]).toMatchObject({ patch: { status: { nominatedNodeName: "a" } } })
    expect(plan.events).toMatchObject([
      { reason: "Preempted", message: "Preempted by pod default-p on node a", action: "Preempting" },
      { reason: "FailedScheduling", message: "0/1 nodes are available: 1 Insufficient cpu." },
    ])
    expect([seen.nodes.get("a")?.podCount, seen.nodes.get("a")?.requested[0]]).toEqual([1, 4000])
  })

  test("no further pod is evicted while the first are terminating", () => {
    const leaving: Pod = {
      ...lesser("x", "a", "4", 1),
      metadata: { ...lesser("x", "a", "4", 1).metadata, deletionTimestamp: "2026-01-05T09:00:00Z" },
      status: { conditions: [{ type: "DisruptionTarget", status: "True", reason: "PreemptionByScheduler" }] },
    }
    const plan = decided({ ...important, status: { nominatedNodeName: "a" } }, { nodes: [testNode("a")], pods: [leaving] })
    expect(told(plan)).toBe(
      "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to a terminating pod on the nominated node.",
    )
    expect(victims(plan)).toEqual([])
  })
})
