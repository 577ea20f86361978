import { expect, test } from "vitest"
import { formatExplained, verdictLine } from "../explain/answer/format.ts"
import { healthy } from "../explain/verdict/verdict.ts"
import { formatTable } from "./table.ts"

const evil = "\u001b]0;owned\u0007\u001b[2J\u009b1A\u202e"
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

test("tables show no escape sequences of objects", () => {
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: evil } } }
  const columnDefinitions = ["Name", "Status"].map((name) => ({ name, priority: 0 }))
  const table = formatTable({ columnDefinitions, rows: [{ cells: ["web", `Failed${evil}\nnext`], object }] }, { withLabels: true })
  expect(table).not.toMatch(controls)
  expect(table.split("\n")).toHaveLength(3)
  expect(table).toContain("Failed")
})

test("explanations show no escape sequences of objects", () => {
  const conditions = [`Ready is False: ${evil}`]
  const sections = [{ title: "Rights", lines: [evil] }]
  const text = formatExplained({
    title: "pods/web in default",
    verdict: healthy(`it waits: ${evil}`),
    state: "NAME\nweb\n",
    conditions,
    reconciles: [],
    events: [],
    dependents: [],
    sections,
    now: 0,
  })
  expect(text).not.toMatch(controls)
  expect(text).toContain("\n  NAME\n  web\n")
  expect(verdictLine("pods/web", { health: "degraded", summary: `${evil}at fault` })).not.toMatch(controls)
})
