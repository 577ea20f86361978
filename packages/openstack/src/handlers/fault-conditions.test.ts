import type { KubeObject } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type EventHandler, type HandlerEvent, type Plan, plan } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { conditionTypes, withCondition } from "./fault-conditions.ts"

const type = conditionTypes.vif
const context = { now: Date.UTC(2026, 0, 5, 9), random: seededRandom(1) }
const fault = { type, status: "False", reason: "KuryrPortFailed", message: "no port", lastTransitionTime: "2026-01-05T08:00:00Z" }

function podWith(conditions: readonly object[] = [], metadata: object = {}): Pod {
  const about = { name: "web", namespace: "default", uid: "u", resourceVersion: "7", ...metadata }
  return { apiVersion: "v1", kind: "Pod", metadata: about, status: { phase: "Pending", conditions } } as Pod
}

function testEvent(object: Pod, kind: HandlerEvent["type"] = "modified"): HandlerEvent<Pod> {
  return { type: kind, key: "default/web", object }
}

function testHandler(parts: { readonly decided?: Plan; readonly settled?: Plan }): EventHandler<Pod, undefined> {
  const { decided, settled } = parts
  return withCondition(type, { name: "vif", of: pods, onPresent: () => decided ?? plan(), settle: () => settled ?? plan() })
}

/** The conditions that are written. */
function written({ steps }: Plan): readonly object[] {
  return steps.flatMap(({ operations }) =>
    operations.flatMap((one) => (one.do === "patch" ? (one.patch as { status: { conditions: readonly object[] } }).status.conditions : [])),
  )
}

const warning = (message: string) => plan().event(podWith(), "Warning", "KuryrPortFailed", message)

describe("the condition of a handler", () => {
  const rows: readonly (readonly [string, Pod, Plan, readonly object[]])[] = [
    ["a warning makes it false", podWith(), warning("no port"), [{ ...fault, lastTransitionTime: "2026-01-05T09:00:00Z" }]],
    ["the same warning again writes nothing", podWith([fault]), warning("no port"), []],
    ["other words, the same status: its time stays", podWith([fault]), warning("no room"), [{ ...fault, message: "no room" }]],
    [
      "two warnings are both in it",
      podWith([fault]),
      warning("no room").event(podWith(), "Warning", "KuryrPortGone", "gone"),
      [{ ...fault, message: "no room; gone" }],
    ],
    ["what is no warning is no fault", podWith(), plan().event(podWith(), "Normal", "KuryrServiceSkipped", "headless"), []],
    ["an object that never had a fault has no condition", podWith(), plan().nothing("all is well"), []],
    [
      "a reconcile without a fault makes it true",
      podWith([fault]),
      plan().nothing("all is well"),
      [
        {
          type,
          status: "True",
          reason: "Ready",
          message: "resolved",
          lastTransitionTime: "2026-01-05T09:00:00Z",
        },
      ],
    ],
    ["a reconcile that waits does not", podWith([fault]), plan().nothing("DOWN").waitFor("the agent"), []],
    [
      "a reconcile that begins something in the cloud does not",
      podWith([fault]),
      plan().operation({ do: "ensure-port", to: "x", reason: "y" }),
      [],
    ],
  ]

  test.each(rows)("%s", (_, pod, decided, expected) => {
    expect(written(testHandler({ decided }).onPresent!(testEvent(pod), undefined, context))).toEqual(expected)
  })

  test("reports what failed when the results are known, and not on a deleted object", () => {
    const handler = testHandler({ settled: warning("no port") })
    expect(written(handler.settle!(testEvent(podWith()), undefined, [], context))).toHaveLength(1)
    expect(written(handler.settle!(testEvent(podWith(), "deleted"), undefined, [], context))).toEqual([])
  })

  test("it is merged by its type, and only into the object that was seen: neither a kubelet's conditions nor a successor are touched", () => {
    const [step] = testHandler({ decided: warning("no port") }).onPresent!(testEvent(podWith()), undefined, context).steps
    expect(step?.operations[0]).toMatchObject({ type: "strategic", subresource: "status", patch: { metadata: { uid: "u" } } })
  })
})

describe("which changes a handler receives", () => {
  const news = (old: KubeObject, object: KubeObject) =>
    testHandler({}).predicate!({ type: "updated", old: old as Pod, object: object as Pod })
  const ready = { type: "Ready", status: "True" }

  test.each([
    ["its own condition comes", podWith(), podWith([fault], { resourceVersion: "8" }), false],
    ["its own condition changes", podWith([fault]), podWith([{ ...fault, message: "other" }], { resourceVersion: "8" }), false],
    ["another client's condition", podWith(), podWith([ready], { resourceVersion: "8" }), true],
    ["both at once", podWith(), podWith([fault, ready], { resourceVersion: "8" }), true],
    ["its own, and an annotation", podWith(), podWith([fault], { resourceVersion: "8", annotations: { a: "b" } }), true],
    ["nothing that it can see", podWith(), podWith([], { resourceVersion: "8" }), true],
  ] as const)("%s", (_, old, object, expected) => {
    expect(news(old, object)).toBe(expected)
  })
})
