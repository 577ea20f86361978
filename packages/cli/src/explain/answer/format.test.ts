import type { TraceLine } from "@pilothouse/runtime"
import { expect, test } from "vitest"
import type { TracedReconcile } from "../trace.ts"
import { healthy } from "../verdict/verdict.ts"
import { formatExplained } from "./format.ts"

const shown = { verdict: healthy("available"), isHistoryShown: true }

const now = Date.parse("2026-01-05T09:00:59.000Z")

function told(error: string, lines: readonly TraceLine[], more: Partial<TracedReconcile> = {}): string {
  const reconcile: TracedReconcile = {
    at: "2026-01-05T09:00:00.123Z",
    controller: "c",
    key: "default/web",
    causes: [],
    observed: [],
    lines,
    results: [],
    error,
    ...more,
  }
  return formatExplained({
    ...shown,
    title: "deployment.apps/web",
    state: "NAME\nweb",
    conditions: [],
    reconciles: [reconcile],
    events: [],
    dependents: [],
    now,
  })
}

const scale: TraceLine = { kind: "operation", do: "update", text: "scale web from 3 to 5" }
const modified = 'Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your changes'

test("a conflict is called harmless and shown once for a reconcile, not as a failure", () => {
  const failed: TraceLine = { ...scale, text: `scale web from 3 to 5: failed, ${modified}`, outcome: "failed", tellsFailure: true }
  const text = told(modified, [scale, failed], { conflict: true })
  expect(text).toContain("came second, which is harmless: another client had written it in between, so it was reconciled again")
  expect(text.split("What was done")[1]?.split(modified)).toHaveLength(2)
  expect(text).not.toContain("is tried again")
})

test("any other failure says that it is tried again", () => {
  expect(told("no quota", [scale])).toContain("  c: failed, and is tried again: no quota")
})

test("of a leader that runs dry nothing is said to be done", () => {
  const reconcile: TracedReconcile = {
    at: "2026-01-05T09:00:00.123Z",
    controller: "c",
    key: "default/web",
    causes: [],
    observed: [],
    lines: [{ kind: "operation", do: "create", text: "create ReplicaSet default/web-1, because it has none" }],
    plan: { steps: [{ operations: [{}] }], waitingFor: [] },
  }
  const text = formatExplained({
    ...shown,
    title: "web",
    state: "NAME\nweb",
    conditions: [],
    reconciles: [reconcile],
    events: [],
    dependents: [],
    now,
  })
  expect(text).toContain(
    "Now\n  c: would do what follows\n\nWhat would be done (it runs dry: nothing was sent)\n  09:00:00.123 c\n    create",
  )
})

test("shows what a controller did repeatedly once, at its last time, with how often", () => {
  const beat = (at: number): TracedReconcile => ({
    at: `2026-01-05T09:00:${at}.000000Z`,
    controller: "kubelet",
    key: "node-1",
    causes: ["asked again"],
    observed: [],
    lines: [
      { kind: "operation", do: "update", outcome: "done", text: "update Lease kube-node-lease/node-1, because it is old: done" },
      { kind: "requeue", after: `${at / 10}s`, reason: "it is renewed", text: `requeue in ${at / 10}s, because it is renewed` },
    ],
    results: [{ do: "update" }],
  })
  const beats = Array.from({ length: 40 }, (_, at) => beat(at + 10))
  const patch: TraceLine = { kind: "operation", do: "patch", outcome: "done", text: "patch Node node-1, because it is lost: done" }
  const once = { ...beat(11), controller: "node-lifecycle", lines: [patch] }
  const reconciles = [once, ...beats]
  const text = formatExplained({
    ...shown,
    title: "node/node-1",
    state: "NAME\nnode-1",
    conditions: [],
    reconciles,
    events: [],
    dependents: [],
    now,
  })
  expect(text.split("What was done, and why\n")[1]).toBe(
    [
      "  09:00:11.000 node-lifecycle, because asked again",
      "    patch Node node-1, because it is lost: done",
      "  09:00:49.000 kubelet, because asked again (the last of 40 times)",
      "    update Lease kube-node-lease/node-1, because it is old: done",
      "    requeue in 4.9s, because it is renewed",
      "",
    ].join("\n"),
  )
})

test("a pod that is refused again and again, each time under another name, is one thing", () => {
  const refused = (name: string): TracedReconcile => ({
    at: "2026-01-05T09:00:10.000000Z",
    controller: "replicaset-controller",
    key: "default/web-55cf89c46c",
    causes: [],
    observed: [],
    lines: [
      {
        kind: "operation",
        do: "create",
        outcome: "failed",
        tellsFailure: true,
        text: `create Pod default/web-55cf89c46c-…, because 1 of 3 pods exist: failed, pods "web-55cf89c46c-${name}" is forbidden`,
      },
    ],
    results: [{ do: "create" }],
    error: `pods "web-55cf89c46c-${name}" is forbidden`,
  })
  const reconciles = ["pz5jp", "9xc8t", "89rst"].map(refused)
  const text = formatExplained({ ...shown, title: "web", state: "NAME\nweb", conditions: [], reconciles, events: [], dependents: [], now })
  expect(text).toContain("09:00:10.000 replicaset-controller (the last of 3 times)")
  expect(text).not.toContain("9xc8t")
})
