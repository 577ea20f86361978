import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { Result } from "./plan/plan.ts"
import { plan } from "./plan/plan-builder.ts"
import { Trace, type TraceEntry } from "./trace.ts"

function entry(more: Partial<TraceEntry> = {}): TraceEntry {
  return { controller: "c", key: "k", at: 0, causes: [], observed: [], results: [], milliseconds: 1, ...more }
}

test("keeps the newest entries, oldest first", () => {
  const trace = new Trace(3)
  for (let at = 0; at < 5; at++) trace.record(entry({ at }))
  expect(trace.entries().map(({ at }) => at)).toEqual([2, 3, 4])
})

test("keeps 1000 by default", () => {
  const trace = new Trace()
  for (let at = 0; at < 1001; at++) trace.record(entry({ at }))
  expect(trace.entries()).toHaveLength(1000)
  expect(trace.entries()[0]?.at).toBe(1)
})

test("keeps no more than 50 operations of one reconcile, and says how many it left out", () => {
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-", namespace: "default" } }
  const made = plan().slowStart()
  for (let count = 0; count < 500; count++) made.create(pod, "they are wanted")
  const results = made.steps.flatMap((step) => step.operations.map((operation): Result => ({ operation, ok: true })))
  const trace = new Trace()
  trace.record(entry({ plan: made, results }))
  const [kept] = trace.entries()
  expect(kept?.results).toHaveLength(50)
  expect(kept?.plan?.steps.flatMap((step) => step.operations)).toHaveLength(50)
  expect(kept?.plan?.summary).toBe("and 450 more operations")
})

test("keeps of an answer whose it was, and shortens what was settled too", () => {
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-", namespace: "default" } }
  const answered: Pod = {
    ...pod,
    metadata: { name: "web-1", namespace: "default", uid: "u", resourceVersion: "7", labels: { a: "b" } },
    spec: { containers: [] },
  }
  const made = plan()
  for (let count = 0; count < 60; count++) made.create(pod, "they are wanted")
  const [operation] = made.steps[0]!.operations
  const trace = new Trace()
  trace.record(entry({ settled: made, results: [{ operation: operation!, ok: true, object: answered }] }))
  const [kept] = trace.entries()
  expect(kept?.settled?.steps.flatMap((step) => step.operations)).toHaveLength(50)
  expect(kept?.results).toEqual([
    {
      operation,
      ok: true,
      object: { apiVersion: "v1", kind: "Pod", metadata: { name: "web-1", namespace: "default", uid: "u", resourceVersion: "7" } },
    },
  ])
})
