import { addResources, formatResources, isInQuotaScopes, type KubeObject, quotaUsage, type Resources } from "@pilothouse/api"
import { pods, type ResourceQuotaSpec } from "@pilothouse/api/core/v1"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type PodFacts, pod, quota } from "./testing/quotas.ts"
import { IncrementalUsage } from "./usage-cache.ts"

const names = ["count/pods", "pods", "requests.cpu", "limits.memory"]
const anytime = Date.parse("2026-01-05T09:00:00Z")

function sumOf(objects: Iterable<KubeObject>): Resources {
  let sum: Resources = new Map()
  for (const object of objects) sum = addResources(sum, quotaUsage(pods, object, anytime))
  return sum
}

function textsOf(sum: Resources): readonly (string | undefined)[] {
  const texts = formatResources(sum)
  return names.map((name) => texts[name] ?? "0")
}

const facts: fc.Arbitrary<PodFacts> = fc.record(
  {
    cpu: fc.constantFrom("100m", "1", "1500m"),
    deadline: fc.constant(100),
    phase: fc.constant("Failed" as const),
    deleted: fc.constant("2026-01-05T08:59:45Z"),
  },
  { requiredKeys: [] },
)
const scopes: fc.Arbitrary<ResourceQuotaSpec["scopes"]> = fc.constantFrom(undefined, ["NotTerminating"], ["BestEffort"])
const step = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), facts: fc.option(facts), asks: fc.boolean() })

test("whatever came, changed and went, and whenever it was asked: the sum is that of a recount, and what is being deleted stands aside", () => {
  fc.assert(
    fc.property(scopes, fc.array(step, { maxLength: 40 }), (chosen, steps) => {
      const counted = quota({ hard: {}, scopes: chosen })
      const usage = new IncrementalUsage(pods, counted)
      const there = new Map<string, KubeObject>()
      for (const { name, facts: found, asks } of [...steps, { name: "e", facts: undefined, asks: true }]) {
        const object = found ? pod(name, found) : undefined
        if (object) there.set(name, object)
        else there.delete(name)
        usage.update(name, object)
        if (!asks) continue
        const { accumulated, objects } = usage.under(names)
        const inScope = [...there.values()].filter((one) => isInQuotaScopes(counted, pods, one))
        const isGoing = ({ metadata }: KubeObject) => metadata.deletionTimestamp !== undefined
        expect(textsOf(accumulated)).toEqual(textsOf(sumOf(inScope.filter((one) => !isGoing(one)))))
        expect(new Set(objects)).toEqual(new Set(inScope.filter(isGoing)))
      }
    }),
    { numRuns: 200 },
  )
})

describe("one pod", () => {
  const usage = () => new IncrementalUsage(pods, quota({ hard: {} }))

  test("is counted as it was last told, however often that was", () => {
    const one = usage()
    for (const cpu of ["1", "2", "300m"]) one.update("a", pod("a", { cpu }))
    expect(textsOf(one.under(names).accumulated)).toEqual(["1", "1", "300m", "2Gi"])
    one.update("a", undefined)
    expect(textsOf(one.under(names).accumulated)).toEqual(["0", "0", "0", "0"])
  })

  test("that cannot be counted is deferred until it can: the reconcile of the quota reports the error", () => {
    const one = usage()
    const broken = pod("a", { cpu: "much" })
    one.update("a", broken)
    expect(one.under(["pods"]).objects).toEqual([broken])
    one.update("a", pod("a", { cpu: "1" }))
    expect([one.under(["pods"]).objects, textsOf(one.under(names).accumulated)[1]]).toEqual([[], "1"])
  })
})

test("objects that come and go between reads leave nothing behind (a quota that names no pods any more kept the key of each)", () => {
  const one = new IncrementalUsage(pods, quota({ hard: {} }))
  one.update("counted", pod("counted"))
  one.update("aside", pod("aside", { deleted: "2026-01-05T08:59:45Z" }))
  one.under(names)
  for (let run = 0; run < 100; run++) {
    one.update(`run-${run}`, pod(`run-${run}`))
    one.update(`run-${run}`, undefined)
  }
  expect(one.pendingCount).toBe(0)
  for (const key of ["counted", "aside"]) one.update(key, undefined)
  expect(one.pendingCount).toBe(2)
  const { accumulated, objects } = one.under(names)
  expect([textsOf(accumulated), objects]).toEqual([["0", "0", "0", "0"], []])
})

test("other scopes mean another sum", () => {
  const one = new IncrementalUsage(pods, quota({ hard: { pods: "1" }, scopes: ["BestEffort"] }))
  expect(one.isFor(quota({ hard: { cpu: "9" }, scopes: ["BestEffort"] }, { used: { cpu: "1" } }))).toBe(true)
  expect(one.isFor(quota({ hard: { pods: "1" } }))).toBe(false)
  const ofClass = { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] } as ResourceQuotaSpec["scopeSelector"]
  expect(one.isFor(quota({ hard: { pods: "1" }, scopes: ["BestEffort"], scopeSelector: ofClass }))).toBe(false)
})
