import { type ConfigMap, configMaps } from "@pilothouse/api/core/v1"
import { PilothouseError } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { createClient } from "../../client/client.ts"
import { describePlan } from "../describe-plan.ts"
import { applySteps } from "./apply.ts"
import { remembers } from "./executor.ts"
import { executorsWhileLeading } from "./executors-while-leading.ts"
import type { Plan, RememberOperation } from "./plan.ts"
import { plan } from "./plan-builder.ts"
import { rememberFirst } from "./remember-first.ts"

interface RememberTime extends RememberOperation {
  readonly do: "remember-time"
  readonly at: number
}

const operation: RememberTime = { do: "remember-time", to: "the pod default/web", reason: "its time has begun", at: 7 }
const object: ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }
const { signal } = new AbortController()

function memory() {
  const times: number[] = []
  return { times, executors: [remembers<RememberTime>("remember-time", ({ at }) => times.push(at))] }
}

/** On a server that refuses everything. */
function apply({ steps }: Plan, { executors }: ReturnType<typeof memory>, dryRun = false) {
  const client = createClient(() => Promise.reject(new PilothouseError("CONNECTION_LOST", "connection refused")))
  return applySteps(steps, { client, resolve: () => configMaps, executors, dryRun }, signal)
}

test.each([false, true])("what is remembered is remembered, in a dry run too (%s)", async (dryRun) => {
  const kept = memory()
  expect(await apply(plan().operation(operation), kept, dryRun)).toMatchObject([{ ok: true, value: 1 }])
  expect(kept.times).toEqual([7])
})

test("it is synchronous: the next observe sees it, whatever else is in flight", () => {
  const kept = memory()
  const applied = apply(plan().operation(operation).create(object, "test"), kept)
  expect(kept.times).toEqual([7])
  return applied
})

test("it comes first, and stays whatever becomes of the rest; the rest of the plan is as it was", async () => {
  const kept = memory()
  const rest = plan()
    .create(object, "it is missing")
    .event(object, "Normal", "Made", "made")
    .requeueAfter("5s", "it may go")
    .waitFor("a node")
  const whole = rememberFirst([operation], rest.nothing("a summary"))
  expect((await apply(whole, kept)).map(({ ok }) => ok)).toEqual([true, false])
  expect(kept.times).toEqual([7])
  expect(whole).toMatchObject({ events: [{ reason: "Made" }], requeue: { after: "5s" }, waitingFor: ["a node"], summary: "a summary" })
})

test("with nothing to remember it is the plan itself", () => {
  const rest = plan().create(object, "it is missing")
  expect(rememberFirst([], rest)).toBe(rest)
})

test("a plan that only remembers is idle, and describes both", () => {
  expect(describePlan(rememberFirst([operation], plan().nothing("it tolerates its node's taints")))).toEqual([
    "remember time of the pod default/web, because its time has begun",
    "nothing to do: it tolerates its node's taints",
  ])
})

test("a standby may remember: its executor is not aborted", async () => {
  const kept = memory()
  const [own] = executorsWhileLeading(kept.executors, { isLeading: false, lost: AbortSignal.abort() })
  await own?.execute(operation, signal)
  expect(kept.times).toEqual([7])
})
