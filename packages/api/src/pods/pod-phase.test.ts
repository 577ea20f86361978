import { expect, test } from "vitest"
import type { Pod } from "../generated/core/v1.types.ts"
import { parseTime } from "../text/time.ts"
import { isPodActive, isPodAvailable, isPodReady, isPodTerminal, isPodTerminating, podAvailableAfter } from "./pod-phase.ts"

const since = "2026-01-01T00:00:00Z"
const ready = (status: string, lastTransitionTime?: string): Pod["status"] => ({
  conditions: [{ type: "Ready", status, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) }],
})
const pod = (status: Pod["status"], metadata: Pod["metadata"] = {}): Pod => ({ apiVersion: "v1", kind: "Pod", metadata, status })
const at = (seconds: number) => parseTime(since) + seconds * 1000

test.each<[string, Pod["status"], number, number, number | undefined]>([
  ["not ready", ready("False", since), 0, 100, undefined],
  ["no conditions", {}, 0, 100, undefined],
  ["ready, no time to wait", ready("True"), 0, 0, 0],
  ["ready for too short", ready("True", since), 10, 9, 1000],
  ["ready just long enough", ready("True", since), 10, 10, 0],
  ["ready for long", ready("True", since), 10, 30, -20000],
  ["ready since an unknown time", ready("True"), 10, 30, undefined],
])("%s", (_, status, minReadySeconds, seconds, after) => {
  expect(isPodAvailable(pod(status), minReadySeconds, at(seconds))).toBe(after !== undefined && after <= 0)
  expect(podAvailableAfter(pod(status), minReadySeconds, at(seconds))).toBe(after)
})

test("ready is what the condition says", () => {
  expect([isPodReady(pod(ready("True"))), isPodReady(pod(ready("Unknown"))), isPodReady(pod(undefined))]).toEqual([true, false, false])
})

test.each<[string, Pod, [boolean, boolean, boolean]]>([
  ["running", pod({ phase: "Running" }), [true, false, false]],
  ["new", pod(undefined), [true, false, false]],
  ["succeeded", pod({ phase: "Succeeded" }), [false, false, true]],
  ["failed", pod({ phase: "Failed" }), [false, false, true]],
  ["being deleted", pod({ phase: "Running" }, { deletionTimestamp: since }), [false, true, false]],
  ["failed and being deleted", pod({ phase: "Failed" }, { deletionTimestamp: since }), [false, false, true]],
])("a pod that is %s is active, terminating, terminal: %j", (_, of, [active, terminating, terminal]) => {
  expect([isPodActive(of), isPodTerminating(of), isPodTerminal(of)]).toEqual([active, terminating, terminal])
})
