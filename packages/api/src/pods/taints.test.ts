import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Taint, Toleration } from "../generated/core/v1.types.ts"
import { isSameTaint, minimumTolerationSeconds, tolerates, tolerationsFor, untoleratedTaint } from "./taints.ts"

const taint: Taint = { key: "gpu", value: "a100", effect: "NoSchedule" }

test.each<[Toleration, boolean]>([
  [{ key: "gpu", value: "a100", effect: "NoSchedule" }, true],
  [{ key: "gpu", operator: "Equal", value: "a100", effect: "NoSchedule" }, true],
  [{ key: "gpu", value: "a100" }, true],
  [{ key: "gpu", value: "other" }, false],
  [{ key: "gpu" }, false],
  [{ key: "gpu", operator: "Exists" }, true],
  [{ key: "cpu", operator: "Exists" }, false],
  [{ operator: "Exists" }, true],
  [{ operator: "Exists", effect: "NoExecute" }, false],
  [{ key: "", operator: "Exists", effect: "NoSchedule" }, true],
  [{ key: "gpu", operator: "Like" as never, value: "a100" }, false],
])("%j bears the taint: %s", (toleration, borne) => {
  expect(tolerates(toleration, taint)).toBe(borne)
})

test("a taint without value is borne by a toleration without value", () => {
  expect(tolerates({ key: "a" }, { key: "a", effect: "NoExecute" })).toBe(true)
})

describe("comparisons", () => {
  const five = { key: "n", effect: "NoSchedule", value: "5" } as const
  test.each<[Toleration, boolean]>([
    [{ key: "n", operator: "Gt", value: "4" }, true],
    [{ key: "n", operator: "Gt", value: "5" }, false],
    [{ key: "n", operator: "Lt", value: "6" }, true],
    [{ key: "n", operator: "Lt", value: "-6" }, false],
    [{ key: "n", operator: "Lt", value: "06" }, false],
    [{ key: "n", operator: "Lt", value: "x" }, false],
    [{ key: "n", operator: "Lt", value: "99999999999999999999" }, false],
  ])("%j: %s where the gate is open, never where it is not", (toleration, borne) => {
    expect([tolerates(toleration, five, { comparisons: true }), tolerates(toleration, five)]).toEqual([borne, false])
  })
})

test("the first taint that nothing bears, among the effects that count", () => {
  const taints: Taint[] = [{ key: "soft", effect: "PreferNoSchedule" }, taint, { key: "evict", effect: "NoExecute" }]
  const hard = { effects: ["NoSchedule", "NoExecute"] } as const
  expect(untoleratedTaint(taints, undefined)?.key).toBe("soft")
  expect(untoleratedTaint(taints, [], hard)?.key).toBe("gpu")
  expect(untoleratedTaint(taints, [{ key: "gpu", operator: "Exists" }], hard)?.key).toBe("evict")
  expect(untoleratedTaint(taints, [{ operator: "Exists" }])).toBeUndefined()
  expect(untoleratedTaint(undefined, undefined)).toBeUndefined()
})

test("the tolerations in use, one for each taint", () => {
  const [notReady, all] = [
    { key: "not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
    { operator: "Exists", tolerationSeconds: 60 },
  ] as const
  const taints: Taint[] = [
    { key: "not-ready", effect: "NoExecute" },
    { key: "x", effect: "NoExecute" },
  ]
  expect(tolerationsFor(taints, [notReady, all])).toEqual([notReady, all])
  expect(tolerationsFor(taints, [notReady])).toBeUndefined()
  expect(tolerationsFor([], undefined)).toEqual([])
})

test.each<[Toleration[], number]>([
  [[], 0],
  [[{}], Number.POSITIVE_INFINITY],
  [[{ tolerationSeconds: 300 }, {}, { tolerationSeconds: 60 }], 60],
  [[{ tolerationSeconds: -5 }, { tolerationSeconds: 60 }], 0],
])("a pod with %j may stay %d seconds", (tolerations, seconds) => {
  expect(minimumTolerationSeconds(tolerations)).toBe(seconds)
})

test("taints are the same by key and effect", () => {
  expect(isSameTaint(taint, { ...taint, value: "other" })).toBe(true)
  expect(isSameTaint(taint, { ...taint, effect: "NoExecute" })).toBe(false)
})

test("many taints and tolerations give the same as few", () => {
  const key = fc.constantFrom("a", "b", "c", "")
  const effect = fc.constantFrom("NoSchedule", "NoExecute")
  const toleration = fc.record({ key, effect, operator: fc.constantFrom("Exists", "Equal"), value: fc.constantFrom("x", "y") })
  const anyTaint = fc.record({ key: fc.constantFrom("a", "b", "c"), effect, value: fc.constantFrom("x", "y") })
  fc.assert(
    fc.property(
      fc.array(anyTaint, { minLength: 40, maxLength: 45 }),
      fc.array(toleration, { minLength: 40, maxLength: 45 }),
      (taints, given) => {
        const oneByOne = taints.map((one) => given.find((candidate) => tolerates(candidate, one)))
        expect(tolerationsFor(taints, given)).toEqual(oneByOne.includes(undefined) ? undefined : oneByOne)
        expect(untoleratedTaint(taints, given)).toEqual(taints[oneByOne.indexOf(undefined)])
      },
    ),
  )
})

test("a frozen list of tolerations is indexed once, however many nodes there are", () => {
  const readsFor = (nodes: number) => {
    let reads = 0
    const toleration = (at: number): Toleration => ({
      operator: "Exists",
      get key() {
        reads++
        return `k${at}`
      },
    })
    const tolerations = Object.freeze(Array.from({ length: 2000 }, (_, at) => toleration(at)))
    const taints: Taint[] = [{ key: "k1999", effect: "NoSchedule" }]
    for (let node = 0; node < nodes; node++) expect(untoleratedTaint(taints, tolerations)).toBeUndefined()
    return reads
  }
  expect(readsFor(20)).toBeLessThan(2 * readsFor(1))
})
