import type { Pod, PodCondition } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { statusPatch } from "./decide.ts"

const unready: PodCondition = {
  type: "Ready",
  status: "False",
  reason: "ContainersNotReady",
  message: "containers with unready status: [a]",
}
const ready: PodCondition = { type: "Ready", status: "True" }

function pod(...conditions: readonly PodCondition[]): Pod {
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a", uid: "1" }, status: { phase: "Running", conditions } }
}

test("a condition that becomes true loses its reason and message", () => {
  expect(statusPatch(pod(unready), { conditions: [ready] })).toEqual({
    metadata: { uid: "1" },
    status: { conditions: [{ type: "Ready", status: "True", reason: null, message: null }] },
  })
})

test("an unchanged status needs no patch", () => {
  expect(statusPatch(pod(ready), { phase: "Running", conditions: [ready] })).toBeUndefined()
})

test("a pod that gets another address kept the old one beside it", () => {
  const before: Pod = { ...pod(), status: { podIP: "127.116.1.1", podIPs: [{ ip: "127.116.1.1" }] } }
  expect(statusPatch(before, { podIP: "10.244.1.1", podIPs: [{ ip: "10.244.1.1" }] })).toEqual({
    metadata: { uid: "1" },
    status: { podIP: "10.244.1.1", podIPs: [{ ip: "10.244.1.1" }, { $patch: "delete", ip: "127.116.1.1" }] },
  })
})
