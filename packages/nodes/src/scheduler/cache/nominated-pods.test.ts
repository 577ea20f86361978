import type { Pod } from "@pilothouse/api/core/v1"
import type { Plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "../decide.ts"
import { podFacts } from "../pod/pod-facts.ts"
import { observed, type PodOptions, type Situation, testNode, testPod } from "../testing/objects.ts"
import { NodeStates } from "./node-states.ts"

/** Others are evicted from node a for it. */
function nominated(name: string, priority: number, cpu: string, more: PodOptions = {}): Pod {
  return { ...testPod(name, { ...more, requests: { cpu }, spec: { priority } }), status: { nominatedNodeName: "a" } }
}

function decided(pod: Pod, situation: Situation): Plan {
  return decide(observed(pod, situation), { now: 0, random: seededRandom(1) })
}

const one = [testNode("a")]
const asking = (priority: number, cpu: string, more: Partial<Pod["spec"]> = {}) =>
  testPod("p", { requests: { cpu }, spec: { priority, ...more } })
const told = (plan: Plan) => plan.events.map(({ reason, message }) => `${reason}: ${message.replace(/ preemption.*/, "")}`).at(-1)
const bound = "Scheduled: Successfully assigned default/p to a"
const full = "FailedScheduling: 0/1 nodes are available: 1 Insufficient cpu."

describe("the room that others leave for a pod", () => {
  const promised = nominated("n", 10, "3")
  const rows: readonly [string, Pod, Situation, string][] = [
    ["is not for a less important one", asking(9, "2"), { nodes: one, pods: [promised] }, full],
    ["is not for one that is as important", asking(10, "2"), { nodes: one, pods: [promised] }, full],
    ["is for a more important one", asking(11, "2"), { nodes: one, pods: [promised] }, bound],
    ["is for whom it was made", promised, { nodes: one, pods: [promised] }, "Scheduled: Successfully assigned default/n to a"],
    ["leaves the rest to others", asking(0, "1"), { nodes: one, pods: [promised] }, bound],
    [
      "is of no use to one that wants to be beside it: it may never come",
      asking(0, "1", {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "n" } } },
            ],
          },
        },
      }),
      { nodes: one, pods: [nominated("n", 10, "1", { labels: { app: "n" } })] },
      "FailedScheduling: 0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
    ],
  ]
  test.each(rows)("%s", (_what, pod, situation, expected) => expect(told(decided(pod, situation))).toBe(expected))

  const lesser = testPod("x", { requests: { cpu: "4" }, spec: { nodeName: "a", priority: 1 } })

  test("counts when victims are chosen for another: no pod is evicted without effect", () => {
    const plan = decided(asking(5, "2"), { nodes: one, pods: [lesser, promised] })
    expect([plan.events.map(({ reason }) => reason), told(plan)]).toEqual([["FailedScheduling"], full])
  })

  test("goes to a pod of higher priority, and the other loses its nomination at once", () => {
    const plan = decided(asking(20, "4"), { nodes: one, pods: [lesser, promised] })
    const first = plan.steps[0]?.operations.map((operation) => "object" in operation && operation.object.metadata.name)
    expect(first).toEqual(["x", "n"])
    expect(plan.steps[0]?.operations[1]).toMatchObject({
      subresource: "status",
      patch: { metadata: { uid: "default-n" }, status: { nominatedNodeName: null } },
    })
  })
})

describe("what is known of it", () => {
  function states() {
    const seen = { freed: 0 }
    const known = new NodeStates(() => void seen.freed++)
    known.nodeChanged({ type: "added", object: one[0]! })
    const names = () => known.nominatedOn("a").map(({ pod }) => pod.metadata.name)
    return { known, seen, names }
  }
  const plain = testPod("n")
  const with_ = nominated("n", 0, "1")

  test("we know it before the cache does, and a change that is older does not make us forget", () => {
    const { known, seen, names } = states()
    known.podChanged({ type: "added", object: plain })
    known.nominate(podFacts(plain, known.slots), "a")
    known.podChanged({ type: "updated", old: plain, object: { ...plain, metadata: { ...plain.metadata, labels: { a: "b" } } } })
    expect([names(), seen.freed]).toEqual([["n"], 0])
  })

  const on = (node: string): Pod => ({ ...with_, spec: { ...with_.spec!, nodeName: node } })
  const ends: readonly [string, Parameters<NodeStates["podChanged"]>[0], number][] = [
    ["it is there", { type: "updated", old: with_, object: on("a") }, 0],
    ["it went elsewhere", { type: "updated", old: with_, object: on("b") }, 1],
    ["it is deleted", { type: "deleted", object: with_, finalStateUnknown: false }, 1],
    [
      "it is on its way out",
      { type: "updated", old: with_, object: { ...with_, metadata: { ...with_.metadata, deletionTimestamp: "2026-01-05T09:00:00Z" } } },
      1,
    ],
    ["it was cleared", { type: "updated", old: with_, object: plain }, 1],
    ["another node was chosen", { type: "updated", old: with_, object: { ...with_, status: { nominatedNodeName: "b" } } }, 1],
  ]
  test.each(ends)("it ends when %s; waiting pods are enqueued unless the capacity is taken now", (_what, change, freed) => {
    const { known, seen, names } = states()
    known.podChanged({ type: "added", object: with_ })
    expect(names()).toEqual(["n"])
    known.podChanged(change)
    expect([names(), seen.freed]).toEqual([[], freed])
  })

  test("a place that is kept for it counts once", () => {
    const { known, names } = states()
    known.podChanged({ type: "added", object: with_ })
    known.assume(podFacts(with_, known.slots), "a", 1000)
    expect([names(), known.get("a")?.podCount]).toEqual([[], 1])
  })

  test("a state that was asked what would be is as it was", () => {
    const { known } = states()
    const facts = podFacts(with_, known.slots)
    expect(known.with([facts], "a", () => known.get("a")?.requested[0])).toBe(1000)
    expect([known.get("a")?.requested[0], known.get("a")?.podCount, [...known.placed.kinds.all()]]).toEqual([0, 0, []])
  })

  test("a restart clears everything", () => {
    const { known, names } = states()
    known.podChanged({ type: "added", object: with_ })
    known.restart()
    expect(names()).toEqual([])
  })
})
