import { formatTime } from "@pilothouse/api"
import type { DeviceTaint, DeviceToleration } from "@pilothouse/api/resource/v1"
import { describeOperation } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import { podWith } from "../resource-claim/testing/objects.ts"
import { decide } from "./decide.ts"
import type { Observed } from "./observe.ts"

const now = Date.parse("2026-01-05T09:00:00Z")
const pod = podWith("web", [], { spec: { containers: [{ name: "a" }], nodeName: "node-1" } })
const broken = (more: Partial<DeviceTaint> = {}): DeviceTaint => ({
  key: "broken",
  value: "yes",
  effect: "NoExecute",
  timeAdded: formatTime(now - 10_000),
  ...more,
})
const device = { request: "gpu", driver: "d", pool: "p", device: "gpu-0" }

function seen(taints: readonly DeviceTaint[], tolerations?: readonly DeviceToleration[]): Observed {
  return { pod, tainted: taints.map((taint) => ({ taint, result: { ...device, tolerations } })) }
}

const evicted = ["patch Pod default/web (its status)", "delete Pod default/web"]

test.each<[name: string, observed: Observed, operations: readonly string[], requeue?: number]>([
  ["no taint", seen([]), []],
  ["a taint that is not tolerated", seen([broken()]), evicted],
  ["another key is tolerated", seen([broken()], [{ key: "slow", operator: "Exists" }]), evicted],
  ["another value is tolerated", seen([broken()], [{ key: "broken", value: "no" }]), evicted],
  ["another effect is tolerated", seen([broken()], [{ key: "broken", operator: "Exists", effect: "NoSchedule" }]), evicted],
  ["tolerated for ever", seen([broken()], [{ key: "broken", value: "yes" }]), []],
  ["every key is tolerated", seen([broken()], [{ operator: "Exists" }]), []],
  ["tolerated for 30 s since the taint", seen([broken()], [{ key: "broken", operator: "Exists", tolerationSeconds: 30 }]), [], 20_000],
  ["tolerated for 10 s since the taint", seen([broken()], [{ key: "broken", operator: "Exists", tolerationSeconds: 10 }]), evicted],
  ["a negative time is none", seen([broken({ timeAdded: formatTime(now) })], [{ operator: "Exists", tolerationSeconds: -5 }]), evicted],
  [
    "the shortest of several tolerations",
    seen(
      [broken()],
      [
        { operator: "Exists", tolerationSeconds: 60 },
        { key: "broken", operator: "Exists", tolerationSeconds: 15 },
      ],
    ),
    [],
    5000,
  ],
  [
    "one of them has no limit",
    seen(
      [broken()],
      [
        { operator: "Exists", tolerationSeconds: 60 },
        { key: "broken", operator: "Exists" },
      ],
    ),
    [],
  ],
  [
    "the earliest of two taints",
    seen([broken(), broken({ key: "hot", timeAdded: formatTime(now - 25_000) })], [{ operator: "Exists", tolerationSeconds: 30 }]),
    [],
    5000,
  ],
  [
    "a pod that goes already",
    { ...seen([broken()]), pod: { ...pod, metadata: { ...pod.metadata, deletionTimestamp: formatTime(now) } } },
    [],
  ],
])("%s", (_name, observed, operations, requeue) => {
  const decided = decide(observed, now)
  expect(decided.steps.flatMap((step) => step.operations).map(describeOperation)).toEqual(operations)
  expect(decided.requeue?.after).toBe(requeue)
})

test("the condition and the event have upstream's words", () => {
  const { steps, events } = decide(seen([broken()]), now)
  expect(steps[0]?.operations[0]).toMatchObject({
    patch: {
      status: {
        conditions: [
          {
            type: "DisruptionTarget",
            reason: "DeletionByDeviceTaintManager",
            message: "Device Taint manager: deleting due to NoExecute taint",
          },
        ],
      },
    },
  })
  expect(steps[1]?.operations[0]).toMatchObject({ options: { preconditions: { uid: "uid-web" } } })
  expect(events).toMatchObject([{ type: "Normal", reason: "DeviceTaintManagerEviction", message: "Marking for deletion" }])
})
