import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"
import type { Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test, vi } from "vitest"
import { NodeState } from "../cache/node-state.ts"
import { decide } from "../decide.ts"
import { observed, type Situation, testNode, testPod } from "../testing/objects.ts"

const kept = { app: "kept" }

interface Lesser {
  readonly cpu?: string
  readonly labels?: Record<string, string>
  readonly namespace?: string
  /** Minutes past nine. */
  readonly began?: number
}

function lesser(name: string, on: string, priority: number, { cpu = "4", labels, namespace, began }: Lesser = {}): Pod {
  const pod = testPod(name, { labels, namespace, requests: { cpu }, spec: { nodeName: on, priority } })
  return began === undefined ? pod : { ...pod, status: { startTime: `2026-01-05T09:0${began}:00Z` } }
}

function budget(allowed: number, more: Partial<PodDisruptionBudget> = {}): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "default" },
    spec: { selector: { matchLabels: kept } },
    status: { disruptionsAllowed: allowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    ...more,
  }
}

function decided(pod: Pod, situation: Situation): Plan {
  return decide(observed(pod, situation), { now: 0, random: seededRandom(1) })
}

const deleted = (plan: Plan) =>
  plan.steps.flatMap(({ operations }) =>
    operations.flatMap((operation) => (operation.do === "delete" && "object" in operation ? [operation.object.metadata.name] : [])),
  )
const wants = (cpu: string) => testPod("p", { requests: { cpu }, spec: { priority: 100 } })
const one = [testNode("a")]
const two = [testNode("a"), testNode("b")]

describe("who has to leave", () => {
  const rows: readonly [string, string, Situation, readonly string[]][] = [
    [
      "the least important, in whatever order they came",
      "2",
      { nodes: one, pods: [lesser("low", "a", 1, { cpu: "2" }), lesser("high", "a", 9, { cpu: "2" })] },
      ["low"],
    ],
    [
      "the youngest of those that are as important",
      "2",
      { nodes: one, pods: [lesser("young", "a", 1, { cpu: "2", began: 5 }), lesser("old", "a", 1, { cpu: "2", began: 1 })] },
      ["young"],
    ],
    [
      "rather a more important one than one that its budget keeps",
      "2",
      {
        nodes: one,
        pods: [lesser("kept", "a", 1, { cpu: "2", labels: kept }), lesser("free", "a", 9, { cpu: "2" })],
        budgets: [budget(0)],
      },
      ["free"],
    ],
    [
      "no more of one budget than it allows",
      "4",
      {
        nodes: two,
        pods: [
          lesser("x", "a", 1, { cpu: "2", labels: kept }),
          lesser("y", "a", 1, { cpu: "2", labels: kept }),
          lesser("z", "b", 50, { cpu: "4" }),
        ],
        budgets: [budget(1)],
      },
      ["z"],
    ],
    [
      "whom a budget of another namespace would keep",
      "4",
      {
        nodes: two,
        pods: [lesser("x", "a", 1, { labels: kept }), lesser("y", "b", 50)],
        budgets: [budget(0, { metadata: { name: "b", namespace: "other" } })],
      },
      ["x"],
    ],
    [
      "that its budget has allowed already",
      "4",
      {
        nodes: two,
        pods: [lesser("x", "a", 1, { labels: kept }), lesser("y", "b", 50)],
        budgets: [
          budget(0, {
            status: {
              disruptionsAllowed: 0,
              currentHealthy: 1,
              desiredHealthy: 1,
              expectedPods: 1,
              disruptedPods: { x: "2026-01-05T09:00:00Z" },
            },
          }),
        ],
      },
      ["x"],
    ],
    [
      "a budget without a selector protects no pod",
      "4",
      {
        nodes: two,
        pods: [lesser("x", "a", 1, { labels: kept }), lesser("y", "b", 50, { namespace: "other" })],
        budgets: [budget(0, { spec: { selector: {} } })],
      },
      ["x"],
    ],
    [
      "where the most important of them is less so, though they are more in sum",
      "4",
      { nodes: two, pods: [lesser("a1", "a", 10), lesser("b1", "b", 9, { cpu: "2" }), lesser("b2", "b", 9, { cpu: "2" })] },
      ["b1", "b2"],
    ],
    [
      "where those that leave are the least important in sum",
      "4",
      {
        nodes: two,
        pods: [
          lesser("a1", "a", 10, { cpu: "2" }),
          lesser("a2", "a", 9, { cpu: "2" }),
          lesser("b1", "b", 10, { cpu: "2" }),
          lesser("b2", "b", 1, { cpu: "2" }),
        ],
      },
      ["b1", "b2"],
    ],
    [
      "where one leaves and not two, though two of a negative priority sum up to less",
      "4",
      { nodes: two, pods: [lesser("a1", "a", -10, { cpu: "2" }), lesser("a2", "a", -10, { cpu: "2" }), lesser("b1", "b", -10)] },
      ["b1"],
    ],
    [
      "where they began last",
      "4",
      { nodes: two, pods: [lesser("old", "a", 1, { began: 1 }), lesser("young", "b", 1, { began: 5 })] },
      ["young"],
    ],
    [
      "where the most important of them began last, whatever the others did",
      "4",
      {
        nodes: two,
        pods: [
          lesser("a1", "a", 10, { cpu: "2", began: 5 }),
          lesser("a2", "a", 1, { cpu: "2", began: 1 }),
          lesser("b1", "b", 10, { cpu: "2", began: 4 }),
          lesser("b2", "b", 1, { cpu: "2", began: 2 }),
        ],
      },
      ["a1", "a2"],
    ],
  ]
  test.each(rows)("%s", (_what, cpu, situation, expected) => expect(deleted(decided(wants(cpu), situation))).toEqual(expected))

  test("one that is on its way out already is not told again", () => {
    const going = lesser("going", "a", 1, { cpu: "2" })
    const leaving: Pod = { ...going, metadata: { ...going.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } }
    const plan = decided(wants("4"), { nodes: one, pods: [leaving, lesser("x", "a", 1, { cpu: "2" })] })
    expect([deleted(plan), plan.events.filter(({ reason }) => reason === "Preempted").length]).toEqual([["x"], 1])
  })

  test("a hundred nodes are enough to choose from", () => {
    const names = Array.from({ length: 120 }, (_, at) => `n${String(at).padStart(3, "0")}`)
    const pods = names.map((name, at) => lesser(`on-${name}`, name, at === 110 ? 1 : 50))
    expect(deleted(decided(wants("4"), { nodes: names.map((name) => testNode(name)), pods }))).toEqual(["on-n000"])
  })
})

describe("a nominated pod", () => {
  const promised = (node = "a"): Pod => ({ ...wants("4"), status: { nominatedNodeName: node } })
  const leaving = (pod: Pod, reason = "PreemptionByScheduler"): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" },
    status: { conditions: [{ type: "DisruptionTarget", status: "True", reason }] },
  })
  const waits = "not eligible due to a terminating pod on the nominated node."
  const said = (plan: Plan) => plan.events.at(-1)?.message.replace(/^.* preemption: /, "")

  test("goes elsewhere when its node does not fit any more", () => {
    const plan = decided(promised(), { nodes: two, pods: [lesser("x", "a", 200)] })
    expect(plan.steps[0]?.operations).toMatchObject([{ do: "bind", node: "b" }])
  })

  const eager: readonly [string, Situation][] = [
    [
      "who leaves is as important: it does not leave for this one",
      { nodes: two, pods: [leaving(lesser("x", "a", 100)), lesser("y", "b", 1)] },
    ],
    [
      "the terminating pod was evicted by another client",
      { nodes: two, pods: [leaving(lesser("x", "a", 1), "EvictionByEvictionAPI"), lesser("y", "b", 0)] },
    ],
    [
      "the victim has not begun to terminate",
      { nodes: two, pods: [{ ...leaving(lesser("x", "a", 1)), metadata: lesser("x", "a", 1).metadata }, lesser("y", "b", 0)] },
    ],
    [
      "its node can never take it",
      {
        nodes: [testNode("a", { spec: { unschedulable: true } }), testNode("b")],
        pods: [leaving(lesser("x", "a", 1)), lesser("y", "b", 0)],
      },
    ],
  ]
  test.each(eager)("does not wait when %s", (_what, situation) => expect(deleted(decided(promised(), situation))).toEqual(["y"]))

  test("waits, and keeps its promise, while they leave", () => {
    const plan = decided(promised(), { nodes: two, pods: [leaving(lesser("x", "a", 1)), lesser("y", "b", 0)] })
    expect([deleted(plan), said(plan)]).toEqual([[], waits])
    expect(plan.steps[0]?.operations[0]).toMatchObject({ patch: { status: { nominatedNodeName: "a" } } })
  })

  test("keeps its nomination when it may preempt no pod", () => {
    const never: Pod = { ...promised(), spec: { ...promised().spec!, preemptionPolicy: "Never" } }
    expect(decided(never, { nodes: one, pods: [lesser("x", "a", 1)] }).steps[0]?.operations[0]).toMatchObject({
      patch: { status: { nominatedNodeName: "a" } },
    })
  })

  test("loses it where nothing helps any more, also when that was said before", () => {
    const full = { nodes: one, pods: [lesser("x", "a", 100)] }
    const [before] = decided(promised(), full).steps[0]?.operations ?? []
    expect(before).toMatchObject({ patch: { status: { nominatedNodeName: null } } })
    const { conditions } = (before as unknown as { readonly patch: { readonly status: NonNullable<Pod["status"]> } }).patch.status
    const again = decided({ ...promised(), status: { nominatedNodeName: "a", conditions } }, full)
    expect(again.steps[0]?.operations[0]).toMatchObject({ patch: { status: { nominatedNodeName: null } } })
  })

  test("takes no promise from one that is as important", () => {
    const other: Pod = { ...testPod("n", { spec: { priority: 100 } }), status: { nominatedNodeName: "a" } }
    const plan = decided(wants("4"), { nodes: one, pods: [lesser("x", "a", 1), other] })
    expect(plan.steps[0]?.operations.map((operation) => "object" in operation && operation.object.metadata.name)).toEqual(["x"])
  })
})

test("terms are matched with each pod as often where many may have to leave as where few may", () => {
  const readsOf = (count: number) => {
    let reads = 0
    const labels = (value: string) => ({
      get a() {
        reads++
        return value
      },
    })
    const pods = Array.from({ length: count }, (_, index) => lesser(`p${index}`, "a", 1, { cpu: "1m", labels: labels(`v${index}`) }))
    const term = (value: string) => ({ labelSelector: { matchLabels: { a: value } }, topologyKey: "kubernetes.io/hostname" })
    const terms = [...Array.from({ length: 50 }, (_, index) => term(`n${index}`)), term("v0")]
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    const pod = testPod("p", { requests: { cpu: "1m" }, spec: { priority: 100, affinity } })
    const nodes = [testNode("a", { allocatable: { pods: "100" } })]
    expect(deleted(decided(pod, { nodes, pods }))).toEqual(["p0"])
    return reads / count
  }
  expect(readsOf(40)).toBeLessThan(1.5 * readsOf(10))
})

test("ten times as many terms of other labels take as much matching", () => {
  const readsOf = (count: number) => {
    let reads = 0
    const labels = (value: string) => ({
      get a() {
        reads++
        return value
      },
    })
    const pods = Array.from({ length: 10 }, (_, index) => lesser(`p${index}`, "a", 1, { cpu: "1m", labels: labels(`v${index}`) }))
    const term = (value: string) => ({ labelSelector: { matchLabels: { a: value } }, topologyKey: "kubernetes.io/hostname" })
    const terms = [...Array.from({ length: count }, (_, index) => term(`n${index}`)), term("v0")]
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    const pod = testPod("p", { requests: { cpu: "1m" }, spec: { priority: 100, affinity } })
    expect(deleted(decided(pod, { nodes: [testNode("a", { allocatable: { pods: "100" } })], pods }))).toEqual(["p0"])
    return reads
  }
  expect(readsOf(90)).toBe(readsOf(9))
})

test("each pod that may have to leave is put back once, however many there are", () => {
  const entriesOf = (count: number) => {
    const pods = Array.from({ length: count }, (_, index) => lesser(`p${index}`, "a", 1, { cpu: "1m" }))
    const situation = observed(testPod("p", { requests: { cpu: "1" }, spec: { priority: 100 } }), {
      nodes: [testNode("a", { allocatable: { cpu: "1", pods: "1000" } })],
      pods,
    })
    using entries = vi.spyOn(NodeState.prototype, "add")
    expect(deleted(decide(situation, { now: 0, random: seededRandom(1) }))).toHaveLength(count)
    return entries.mock.calls.length
  }
  expect(entriesOf(80)).toBeLessThan(5 * entriesOf(20))
})
