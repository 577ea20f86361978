import { type LabelSelector, selectorOf } from "@pilothouse/api"
import { expect, test } from "vitest"
import { type AffinityTerm, matchesTerm } from "./affinity-terms.ts"
import { candidateTerms } from "./term-index.ts"

const termOf = (labelSelector: LabelSelector | undefined): AffinityTerm => ({
  namespaces: new Set(["default"]),
  namespaceSelector: selectorOf(undefined),
  selector: selectorOf(labelSelector),
  topologyKey: "zone",
  weight: 0,
})

const expression = (operator: string, values?: readonly string[]): LabelSelector => ({ matchExpressions: [{ key: "a", operator, values }] })

const terms = [
  termOf({ matchLabels: { a: "x" } }),
  termOf({ matchLabels: { a: "y", b: "z" } }),
  termOf(expression("In", ["x", "y", "x"])),
  termOf(expression("NotIn", ["x"])),
  termOf(expression("Exists")),
  termOf(expression("DoesNotExist")),
  termOf({}),
  termOf(undefined),
]

const labels: readonly Readonly<Record<string, string>>[] = [
  {},
  { a: "x" },
  { a: "y" },
  { a: "y", b: "z" },
  { b: "z" },
  { constructor: "x" },
]

test.each(labels)("all terms that match %j are candidates, once", (given) => {
  const matching = terms.filter((term) => matchesTerm(term, "default", given, undefined))
  const candidates = candidateTerms(terms, given)
  expect(new Set(candidates).size).toBe(candidates.length)
  expect(new Set(candidates.filter((term) => matchesTerm(term, "default", given, undefined)))).toEqual(new Set(matching))
})

test("terms of other values are no candidates", () => {
  const many = Array.from({ length: 1000 }, (_, index) => termOf({ matchLabels: { a: `v${index}` } }))
  expect(candidateTerms(many, { a: "v7" })).toEqual([many[7]])
})
