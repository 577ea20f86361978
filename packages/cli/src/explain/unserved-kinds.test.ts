import { resourceNameOf } from "@pilothouse/api"
import { createControllers } from "@pilothouse/controllers"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { formatExplained } from "./answer/format.ts"
import { unservedKinds, unservedLine } from "./unserved-kinds.ts"
import { healthy } from "./verdict/verdict.ts"

test("of an Ingress it was said that no controller has to look at it, as if all were well", () => {
  const unserved = unservedLine({ group: "networking.k8s.io", plural: "ingresses" })
  const explained = {
    title: "ingress",
    verdict: healthy("x"),
    state: "",
    conditions: [],
    reconciles: [],
    events: [],
    dependents: [],
    now: 0,
  }
  expect(formatExplained({ ...explained, unserved })).toMatch(/Now\n {2}nothing serves Ingresses here: it gets no address/)
})

test("beside what controllers say of such a kind it is still said", () => {
  const unserved = unservedLine({ group: "networking.k8s.io", plural: "networkpolicies" })!
  const reconcile = { at: "2026-01-05T09:00:00.000000Z", controller: "c", key: "k", causes: [], observed: [], lines: [], results: [] }
  const explained = {
    title: "policy",
    verdict: healthy("x"),
    state: "",
    conditions: [],
    events: [],
    dependents: [],
    now: Date.parse(reconcile.at),
  }
  expect(formatExplained({ ...explained, reconciles: [reconcile], unserved })).toContain(`Now\n  ${unserved}\n  c: nothing more to do\n`)
})

test("every kind of the table is one that the server has, and no controller is for any of them", async () => {
  await using running = await cluster({ controllers: [], nodes: 0 })
  const there = new Set((await running.client.resources()).map(resourceNameOf))
  const served = new Set(createControllers().map((one) => resourceNameOf(one.for)))
  for (const name of unservedKinds()) expect([name, there.has(name), served.has(name)]).toEqual([name, true, false])
})
