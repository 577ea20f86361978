import { expect, test } from "vitest"
import { formatExplained } from "./format.ts"
import type { TracedLook } from "./trace.ts"

function told(error: string, words: readonly string[]): string {
  const look: TracedLook = {
    at: "2026-01-05T09:00:00.123Z",
    controller: "c",
    key: "default/web",
    causes: [],
    observed: [],
    words,
    results: [],
    error,
  }
  return formatExplained({ title: "deployment.apps/web", state: "NAME\nweb", conditions: [], looks: [look], events: [], dependents: [] })
}

const modified = 'Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your changes'

test("a conflict is called harmless and told once for a look, not as a failure", () => {
  const text = told(modified, ["scale web from 3 to 5", `scale web from 3 to 5: failed, ${modified}`])
  expect(text).toContain("came second, which is harmless: somebody else had written it in between, so it was looked at again")
  expect(text.split("What was done")[1]?.split(modified)).toHaveLength(2)
  expect(text).not.toContain("is tried again")
})

test("any other failure says that it is tried again", () => {
  expect(told("no quota", ["scale web"])).toContain("  c: failed, and is tried again: no quota")
})

test("of a leader that runs dry nothing is said to be done", () => {
  const look: TracedLook = {
    at: "2026-01-05T09:00:00.123Z",
    controller: "c",
    key: "default/web",
    causes: [],
    observed: [],
    words: ["create ReplicaSet default/web-1, because it has none"],
    plan: { steps: [{ operations: [{}] }], waitingFor: [] },
  }
  const text = formatExplained({ title: "web", state: "NAME\nweb", conditions: [], looks: [look], events: [], dependents: [] })
  expect(text).toContain(
    "Now\n  c: would do what follows\n\nWhat would be done (it runs dry: nothing was sent)\n  09:00:00.123 c\n    create",
  )
})
