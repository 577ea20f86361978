import fc from "fast-check"
import { expect, test } from "vitest"
import {
  addResources,
  equalResources,
  formatResources,
  lackingResources,
  maxResources,
  parseResources,
  type ResourceList,
  subtractResources,
} from "./resource-list.ts"

const a = parseResources({ cpu: "500m", memory: "1Gi" })
const b = parseResources({ cpu: "1", "example.com/gpu": "2" })

test("resources are added, subtracted and compared one by one", () => {
  expect(formatResources(addResources(a, b))).toEqual({ cpu: "1500m", memory: "1Gi", "example.com/gpu": "2" })
  expect(formatResources(subtractResources(a, b))).toEqual({ cpu: "-500m", memory: "1Gi", "example.com/gpu": "-2" })
  expect(formatResources(maxResources(a, b))).toEqual({ cpu: "1", memory: "1Gi", "example.com/gpu": "2" })
  expect(parseResources(undefined).size).toBe(0)
})

test.each<[ResourceList, ResourceList, string[]]>([
  [{}, {}, []],
  [{ cpu: "1" }, { cpu: "1000m" }, []],
  [{ cpu: "1001m" }, { cpu: "1" }, ["cpu"]],
  [{ cpu: "1", memory: "1Gi" }, { cpu: "2", memory: "1G" }, ["memory"]],
  [{ gpu: "1" }, {}, ["gpu"]],
  [{ gpu: "0" }, {}, []],
  [{ gpu: "0" }, { gpu: "-1" }, []],
])("asking %j of %j lacks %j", (asked, available, lacking) => {
  expect(lackingResources(parseResources(asked), parseResources(available))).toEqual(lacking)
})

test("amounts are equal however they are written", () => {
  const equal = (left: ResourceList, right: ResourceList) => equalResources(parseResources(left), parseResources(right))
  expect(equal({ cpu: "1", memory: "1Ki" }, { memory: "1024", cpu: "1000m" })).toBe(true)
  expect([equal({ cpu: "1" }, { cpu: "2" }), equal({ cpu: "1" }, {}), equal({ cpu: "0" }, { memory: "0" })]).toEqual([false, false, false])
})

test("what is added can be taken away", () => {
  const lists = fc
    .dictionary(fc.constantFrom("cpu", "memory", "gpu", "constructor"), fc.constantFrom("1", "500m", "64Mi", "0", "3k"))
    .map(parseResources)
  fc.assert(
    fc.property(lists, lists, (left, right) => {
      const difference = subtractResources(addResources(left, right), right)
      expect(lackingResources(left, difference)).toEqual([])
      expect(lackingResources(difference, left)).toEqual([])
    }),
  )
})
