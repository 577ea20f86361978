import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { decide, withTimer } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { rememberTimersIn, Timers } from "./timers.ts"

const now = Date.UTC(2026, 0, 5, 9)
const tolerations = [{ key: "one", operator: "Exists" as const, effect: "NoExecute" as const, tolerationSeconds: 60 }]
const pod: Pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", namespace: "default", uid: "u1" },
  spec: { containers: [], nodeName: "a", tolerations },
}
const tainted: Observed = { key: "default/web", pod, taints: [{ key: "one", effect: "NoExecute" }] }
const timer = { uid: "u1", at: now + 60_000, isOver: false }

/** What is done first. */
function first(observed: Observed, at = now) {
  return withTimer(observed, decide(observed, at)).steps[0]?.operations[0]
}

test("deciding set the timer itself: now the plan does, before all else", async () => {
  const timers = new Timers()
  const operation = first(tainted)
  expect([operation, timers.of("default/web")]).toMatchObject([{ do: "remember-timer", timer }, undefined])
  if (operation?.do === "remember-timer" && "to" in operation)
    await rememberTimersIn(timers).execute(operation, new AbortController().signal)
  expect(timers.of("default/web")).toEqual(timer)
})

test.each<[name: string, observed: Observed, at: number, expected: object | undefined]>([
  ["a time that is set already is not set again", { ...tainted, timer }, now + 5000, undefined],
  ["one that is over is kept as such, before the pod is deleted", { ...tainted, timer }, now + 60_000, { timer: { isOver: true } }],
  ["the taints are gone, and so is the time", { ...tainted, taints: [], timer }, now, { do: "remember-timer", timer: undefined }],
  [
    "of another pod with its name nothing is kept",
    { ...tainted, taints: [], hasStaleTimer: true },
    now,
    { do: "remember-timer", timer: undefined },
  ],
  ["nothing was kept, and nothing is", { ...tainted, taints: [] }, now, undefined],
])("%s", (_name, observed, at, expected) => {
  if (expected === undefined) expect(first(observed, at)).toBeUndefined()
  else expect(first(observed, at)).toMatchObject(expected)
})
