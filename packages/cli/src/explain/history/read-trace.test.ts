import { expect, test } from "vitest"
import { printable, readTrace } from "./read-trace.ts"

const look = {
  at: "2026-01-05T09:00:00Z",
  controller: "c",
  key: "default/web",
  causes: [],
  observed: [],
  lines: [{ kind: "summary", text: "all is well" }],
}

test("looks are taken as they are; what is none is left out", () => {
  const plan = { steps: [{ operations: [{ do: "create" }] }], waitingFor: ["a pod"] }
  const whole = { ...look, plan, results: [], nextAt: "2026-01-05T09:00:05Z" }
  const odd = [
    null,
    7,
    [look],
    { ...look, at: "yesterday" },
    { ...look, lines: "text" },
    { ...look, lines: ["text"] },
    { ...look, lines: [{ kind: "summary" }] },
    { ...look, lines: [{ kind: "requeue", text: "look again", after: "soon", reason: "test" }] },
    { ...look, observed: [1] },
    { ...look, plan: {} },
    { ...look, plan: { ...plan, steps: [{}] } },
    { ...look, nextAt: 3 },
    { ...look, error: {} },
  ]
  expect(readTrace({ entries: [look, ...odd, whole] })).toEqual([look, whole])
  for (const answer of [undefined, null, 7, "x", [], {}, { entries: {} }]) expect(readTrace(answer)).toEqual([])
})

test("escape sequences of another program reached the terminal: they are taken out, in names too", () => {
  const evil = { ...look, lines: [{ kind: "x", text: "\u001b]0;owned\u0007ok\nnext" }], "\u009bx": { deep: ["\u202eabc"] } }
  expect(readTrace({ entries: [evil] })).toEqual([
    { ...look, lines: [{ kind: "x", text: "\ufffd]0;owned\ufffdok next" }], "\ufffdx": { deep: ["\ufffdabc"] } },
  ])
  expect(printable("grüße → 日本")).toBe("grüße → 日本")
})
