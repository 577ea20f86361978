import type { Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { describePlan, planLines } from "./describe-plan.ts"
import type { CustomOperation, Plan, Result } from "./plan/plan.ts"
import { plan } from "./plan/plan-builder.ts"

const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web-1", namespace: "default" } }
const unnamed: Pod = { apiVersion: "v1", kind: "Pod", metadata: { generateName: "web-", namespace: "default" } }
const balancer: CustomOperation = { do: "ensure-balancer", to: "Service default/web", reason: "it is of type LoadBalancer" }

const rows: Record<string, { plan: Plan; says: readonly string[] }> = {
  "an empty plan and why": { plan: plan().nothing("3 of 3 pods run"), says: ["nothing to do: 3 of 3 pods run"] },
  "equal operations once, with their number": {
    plan: plan().create(unnamed, "0 of 2 pods exist").create(unnamed, "0 of 2 pods exist").delete(pod, "it is old"),
    says: ["2 × create Pod default/web-…, because 0 of 2 pods exist", "delete Pod default/web-1, because it is old"],
  },
  "what an operation is about": {
    plan: plan().bind(pod, "node-1", "it fits").status(pod, {}, "it runs").patch(pod, {}, "no node fits", { subresource: "status" }),
    says: [
      "bind Pod default/web-1 to node-1, because it fits",
      "write the status of Pod default/web-1, because it runs",
      "patch Pod default/web-1 (its status), because no node fits",
    ],
  },
  "a server-side apply": {
    plan: plan().apply(pod, "it has a label").apply(pod, "it runs", { force: true, subresource: "status" }),
    says: ["apply Pod default/web-1, because it has a label", "apply Pod default/web-1 (its status), because it runs"],
  },
  "operations of other kinds": {
    plan: plan().operation(balancer),
    says: ["ensure balancer of Service default/web, because it is of type LoadBalancer"],
  },
  "events, waits and the requeue": {
    plan: plan()
      .event(pod, "Warning", "FailedScheduling", "0/3 nodes fit")
      .waitFor("a node")
      .requeueAfter("10m", "a node may come")
      .nothing("none fits"),
    says: [
      "nothing to do: none fits",
      "wait for a node",
      "say Warning FailedScheduling of Pod default/web-1: 0/3 nodes fit",
      "requeue in 10m, because a node may come",
    ],
  },
  "a failure that people are warned of, which is no rest": {
    plan: plan().event(pod, "Warning", "ProvisioningFailed", "no such class").nothing("it has no volume: no such class", { stuck: true }),
    says: ["cannot go on: it has no volume: no such class", "say Warning ProvisioningFailed of Pod default/web-1: no such class"],
  },
  "a failure that was reported before": {
    plan: plan().nothing("its volume is lost", { stuck: true }),
    says: ["cannot go on: its volume is lost"],
  },
  "a wait in milliseconds as seconds": { plan: plan().requeueAfter(1500, "it is soon"), says: ["requeue in 1.5s, because it is soon"] },
  "a long one to the second": { plan: plan().requeueAfter(600_849.25, "it is late"), says: ["requeue in 10m1s, because it is late"] },
}

test.each(Object.entries(rows))("says %s", (_, { plan: made, says }) => {
  expect(describePlan(made)).toEqual(says)
})

test("says what became of each operation", () => {
  const made = plan().delete(pod, "old").nextStep().create(unnamed, "new").create(pod, "named")
  const [first, second, third] = made.steps.flatMap((step) => step.operations)
  const results: Result[] = [
    { operation: first!, ok: true },
    { operation: second!, ok: false, error: new Error("quota") },
    { operation: third!, ok: "skipped" },
  ]
  expect(describePlan(made, results)).toEqual([
    "delete Pod default/web-1, because old: done",
    "create Pod default/web-…, because new: failed, quota",
    "create Pod default/web-1, because named: not tried",
  ])
})

test("gives each line its kind and what a program needs to know of it", () => {
  const made = plan().delete(pod, "old").nextStep().create(pod, "new").waitFor("a node").nothing("one at a time")
  const [first, second] = made.steps.flatMap((step) => step.operations)
  const results: Result[] = [
    { operation: first!, ok: true, overtaken: true },
    { operation: second!, ok: true },
  ]
  expect(planLines(made.event(pod, "Normal", "Started", "it runs").requeueAfter(1500, "it is soon"), results)).toEqual([
    {
      kind: "operation",
      do: "delete",
      outcome: "overtaken",
      text: "delete Pod default/web-1, because old: another client was quicker, and it is reconciled again",
    },
    { kind: "operation", do: "create", outcome: "done", text: "create Pod default/web-1, because new: done" },
    { kind: "summary", text: "one at a time" },
    { kind: "wait", text: "wait for a node" },
    { kind: "event", text: "say Normal Started of Pod default/web-1: it runs" },
    { kind: "requeue", text: "requeue in 1.5s, because it is soon", after: "1.5s", reason: "it is soon" },
  ])
})

test.each([
  ["idle", false],
  ["stuck", true],
])("a plan without operations is %s", (state, stuck) => {
  expect(planLines(plan().nothing("no such class", { stuck }))).toMatchObject([{ kind: "summary", state }])
})

test("omits events and requeue of a failed plan, but not those of settle", () => {
  const failing = plan()
    .create(pod, "wanted")
    .event(pod, "Normal", "Created", "it is there")
    .requeueAfter("10m", "all is well")
    .waitFor("a node")
  const settling = plan().event(pod, "Warning", "FailedCreate", "quota")
  const [operation] = failing.steps.flatMap((step) => step.operations)
  const results: readonly Result[] = [{ operation: operation!, ok: false, error: new Error("quota") }]
  expect(describePlan(failing, results)).toEqual(["create Pod default/web-1, because wanted: failed, quota", "wait for a node"])
  expect(describePlan(settling, results)).toEqual(["say Warning FailedCreate of Pod default/web-1: quota"])
})
