import type { Int64 } from "@pilothouse/api"
import type { Pod, Taint, Toleration } from "@pilothouse/api/core/v1"
import { describeOperation } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { decide } from "./decide.ts"
import { noExecuteTaints, type Observed } from "./observe.ts"
import type { Timer } from "./timers.ts"

const now = Date.UTC(2026, 0, 5, 9)
const key = "default/web"

function taint(name: string, effect: Taint["effect"] = "NoExecute"): Taint {
  return { key: name, value: "yes", effect }
}

/** Tolerates the taint of that name, for so many seconds if told. */
function bears(name: string, tolerationSeconds?: Int64): Toleration {
  return { key: name, operator: "Equal", value: "yes", effect: "NoExecute", ...(tolerationSeconds !== undefined && { tolerationSeconds }) }
}

function pod(tolerations: readonly Toleration[] = [], more: Partial<Pod["metadata"]> = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "u1", generation: 3, ...more },
    spec: { containers: [], nodeName: "a", tolerations },
  }
}

/** A time that was set before: it ends after so many seconds. */
function timer(seconds: number, isOver = false): Timer {
  return { uid: "u1", at: now + seconds * 1000, isOver }
}

/** What is done: "evict", the seconds it waits, or "stay"; and what is said. */
function outcome(observed: Omit<Observed, "key">): readonly unknown[] {
  const { plan } = decide({ key, ...observed }, now)
  const said = plan.events.map(({ message }) => message.split(" ")[0])
  if (plan.steps.length > 0) return ["evict", ...said]
  return [plan.requeue === undefined ? "stay" : Number(plan.requeue.after) / 1000, ...said]
}

test("FilterNoExecuteTaints: only what makes pods leave counts", () => {
  const taints = [taint("one"), taint("two", "NoSchedule"), taint("three", "PreferNoSchedule")]
  expect(noExecuteTaints({ apiVersion: "v1", kind: "Node", metadata: { name: "a" }, spec: { taints } })).toEqual([taint("one")])
})

test.each<[name: string, observed: Omit<Observed, "key">, expected: readonly unknown[]]>([
  ["CreatePod: not scheduled - ignore", { pod: pod() }, ["stay"]],
  ["CreatePod: scheduled on untainted Node", { pod: pod(), taints: [] }, ["stay"]],
  ["CreatePod: schedule on tainted Node", { pod: pod(), taints: [taint("one")] }, ["evict", "Marking"]],
  ["CreatePod: schedule on tainted Node with finite toleration", { pod: pod([bears("one", 100)]), taints: [taint("one")] }, [100]],
  ["CreatePod: schedule on tainted Node with infinite toleration", { pod: pod([bears("one")]), taints: [taint("one")] }, ["stay"]],
  [
    "CreatePod: with infinite invalid toleration",
    { pod: pod([{ ...bears("one"), value: "no" }]), taints: [taint("one")] },
    ["evict", "Marking"],
  ],
  ["UpdatePod: scheduling onto tainted Node with toleration", { pod: pod([bears("one", 50)]), taints: [taint("one")] }, [50]],
  ["UpdatePod: removing toleration", { pod: pod(), taints: [taint("one")], timer: timer(50) }, ["evict", "Cancelling", "Marking"]],
  ["UpdatePod: lengthening toleration shouldn't work", { pod: pod([bears("one", 1000)]), taints: [taint("one")], timer: timer(7) }, [7]],
  ["nor does shortening it", { pod: pod([bears("one", 1)]), taints: [taint("one")], timer: timer(7) }, [7]],
  ["but tolerating for ever does", { pod: pod([bears("one")]), taints: [taint("one")], timer: timer(7) }, ["stay", "Cancelling"]],
  ["DeletePod: the time that was set is cancelled", { timer: timer(7) }, ["stay", "Cancelling"]],
  ["a pod that was made to leave is gone: nothing is cancelled", { timer: timer(-1, true) }, ["stay"]],
  ["UpdateNode: Added taint, expect node patched and deleted", { pod: pod(), taints: [taint("one"), taint("two")] }, ["evict", "Marking"]],
  ["UpdateNode: Added tolerated taint", { pod: pod([bears("one", 100)]), taints: [taint("one")] }, [100]],
  [
    "UpdateNode: Only one added taint tolerated",
    { pod: pod([bears("one", 100)]), taints: [taint("one"), taint("two")], timer: timer(90) },
    ["evict", "Cancelling", "Marking"],
  ],
  ["UpdateNode: Taint removed", { pod: pod([bears("one", 1)]), taints: [], timer: timer(1) }, ["stay", "Cancelling"]],
  [
    "UpdateNode: Pod with multiple tolerations are evicted when first one runs out",
    { pod: pod([bears("one", 60), bears("two", 30)]), taints: [taint("one"), taint("two")] },
    [30],
  ],
  ["DeleteNode: the time that was set goes on", { pod: pod([bears("one", 60)]), timer: timer(40) }, [40]],
  ["the time is over", { pod: pod([bears("one", 60)]), taints: [taint("one")], timer: timer(0) }, ["evict", "Marking"]],
  [
    "it was over and the delete failed: again",
    { pod: pod([bears("one", 60)]), taints: [taint("one")], timer: timer(-9, true) },
    ["evict", "Marking"],
  ],
  [
    "a pod that is being deleted is not told again",
    { pod: pod([], { deletionTimestamp: "2026-01-05T08:59:00Z" }), taints: [taint("one")] },
    ["stay"],
  ],
])("%s", (_name, observed, expected) => {
  expect(outcome(observed)).toEqual(expected)
})

describe("GetMinTolerationTime", () => {
  test.each<[name: string, seconds: readonly (number | undefined)[], expected: readonly unknown[]]>([
    ["the only one", [50], [50]],
    ["the least of several", [500, 50, 5000], [50]],
    ["one without a limit does not count", [undefined, 50], [50]],
    ["none has a limit: for ever", [undefined, undefined], ["stay"]],
    ["zero is at once", [50, 0], ["evict", "Marking"]],
    ["and so is a negative one", [50, -1], ["evict", "Marking"]],
  ])("%s", (_name, all, expected) => {
    const tolerations = all.map((seconds, at) => bears(`taint-${at}`, seconds))
    expect(outcome({ pod: pod(tolerations), taints: all.map((_, at) => taint(`taint-${at}`)) })).toEqual(expected)
  })
})

describe("PodDeletionEvent", () => {
  const { plan } = decide({ key, pod: pod(), taints: [taint("one")] }, now)
  test("emitPodDeletionEvent", () => {
    expect(plan.events).toMatchObject([{ type: "Normal", reason: "TaintManagerEviction", message: "Marking for deletion Pod default/web" }])
  })

  test("emitCancelPodDeletionEvent", () => {
    expect(decide({ key, timer: timer(5) }, now).plan.events).toMatchObject([
      {
        type: "Normal",
        reason: "TaintManagerEviction",
        message: "Cancelling deletion of Pod default/web",
        about: { metadata: { namespace: "default", name: "web" } },
      },
    ])
  })

  test("the condition comes first, then the delete with the pod's own grace", () => {
    expect(plan.steps.map((step) => step.operations.map(describeOperation))).toEqual([
      ["patch Pod default/web (its status)"],
      ["delete Pod default/web"],
    ])
    expect(plan.steps[0]?.operations).toMatchObject([
      {
        reason: "it does not tolerate one",
        patch: {
          metadata: { uid: "u1" },
          status: {
            conditions: [
              {
                type: "DisruptionTarget",
                status: "True",
                reason: "DeletionByTaintManager",
                message: "Taint manager: deleting due to NoExecute taint",
                observedGeneration: 3,
                lastTransitionTime: "2026-01-05T09:00:00Z",
              },
            ],
          },
        },
      },
    ])
  })

  test("a pod that has the condition is not given it twice", () => {
    const conditions = [
      {
        type: "DisruptionTarget",
        status: "True" as const,
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        observedGeneration: 3,
      },
    ]
    const marked: Pod = { ...pod(), status: { conditions } }
    expect(
      decide({ key, pod: marked, taints: [taint("one")] }, now)
        .plan.steps.flatMap((step) => step.operations)
        .map(describeOperation),
    ).toEqual(["delete Pod default/web"])
  })
})

test("property: however taints come and go, a pod leaves when they were there without a break for as long as it tolerates them, and not before", () => {
  const random = seededRandom(5)
  for (let run = 0; run < 200; run++) {
    const seconds = 1 + random.int(20)
    let [kept, since] = [undefined as Timer | undefined, undefined as number | undefined]
    for (let second = 0; second < 60; second++) {
      const isTainted = random.int(8) > 0
      since = isTainted ? (since ?? second) : undefined
      const observed = { key, pod: pod([bears("one", seconds)]), taints: isTainted ? [taint("one")] : [], timer: kept }
      const { plan, timer: next } = decide(observed, now + second * 1000)
      // A timer that is over goes off by itself, even in the instant in which the taint goes.
      const isOver = kept !== undefined && second * 1000 + now >= kept.at
      expect(plan.steps.length > 0).toBe(isOver)
      if (isOver) break
      expect(next?.at).toBe(since === undefined ? undefined : now + (since + seconds) * 1000)
      kept = next
    }
  }
})

test.each([2n ** 53n + 1n, 2n ** 63n - 1n])("a taint that is borne for %s seconds makes a pod leave in 292 years", (seconds) => {
  expect(outcome({ pod: pod([bears("out", seconds)]), taints: [taint("out")] })).toEqual([9_223_372_036.854])
})
