import { expect, test } from "vitest"
import { printable } from "../../client/printable.ts"
import { readTrace } from "./read-trace.ts"

const reconcile = {
  at: "2026-01-05T09:00:00Z",
  controller: "c",
  key: "default/web",
  causes: [],
  observed: [],
  lines: [{ kind: "summary", text: "all is well" }],
}

test("looks are taken as they are; what is none is left out", () => {
  const plan = { steps: [{ operations: [{ do: "create" }] }], waitingFor: ["a pod"] }
  const whole = { ...reconcile, plan, results: [], nextAt: "2026-01-05T09:00:05Z" }
  const odd = [
    null,
    7,
    [reconcile],
    { ...reconcile, at: "yesterday" },
    { ...reconcile, lines: "text" },
    { ...reconcile, lines: ["text"] },
    { ...reconcile, lines: [{ kind: "summary" }] },
    { ...reconcile, lines: [{ kind: "requeue", text: "requeue soon", after: "soon", reason: "test" }] },
    { ...reconcile, observed: [1] },
    { ...reconcile, plan: {} },
    { ...reconcile, plan: { ...plan, steps: [{}] } },
    { ...reconcile, nextAt: 3 },
    { ...reconcile, error: {} },
  ]
  expect(readTrace({ entries: [reconcile, ...odd, whole] })).toEqual([reconcile, whole])
  for (const answer of [undefined, null, 7, "x", [], {}, { entries: {} }]) expect(readTrace(answer)).toEqual([])
})

test("escape sequences of another program reached the terminal: they are taken out, in names too", () => {
  const evil = { ...reconcile, lines: [{ kind: "x", text: "\u001b]0;owned\u0007ok\nnext" }], "\u009bx": { deep: ["\u202eabc"] } }
  expect(readTrace({ entries: [evil] })).toEqual([
    { ...reconcile, lines: [{ kind: "x", text: "\ufffd]0;owned\ufffdok next" }], "\ufffdx": { deep: ["\ufffdabc"] } },
  ])
  expect(printable("grüße → 日本")).toBe("grüße → 日本")
})
