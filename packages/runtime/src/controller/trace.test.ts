import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import type { Result } from "./plan.ts"
import { plan } from "./plan-builder.ts"
import { Trace, type TraceEntry } from "./trace.ts"

function entry(more: Partial<TraceEntry> = {}): TraceEntry {
  return { controller: "c", key: "k", at: 0, causes: [], observed: [], results: [], milliseconds: 1, ...more }
}

test("keeps the newest entries, oldest first", () => {
  const trace = new Trace(3)
  for (let at = 0; at < 5; at++) trace.record(entry({ at }))
  expect(trace.entries().map(({ at }) => at)).toEqual([2, 3, 4])
})

test("keeps no more than 50 operations of one reconcile, and says how many it left out", () => {
  const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-", namespace: "default" } }
  const made = plan().slowly()
  for (let count = 0; count < 500; count++) made.create(pod, "they are wanted")
  const results = made.steps.flatMap((step) => step.operations.map((operation): Result => ({ operation, ok: true })))
  const trace = new Trace()
  trace.record(entry({ plan: made, results }))
  const [kept] = trace.entries()
  expect(kept?.results).toHaveLength(50)
  expect(kept?.plan?.steps.flatMap((step) => step.operations)).toHaveLength(50)
  expect(kept?.plan?.summary).toBe("and 450 more operations")
})
