import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { NodeSelectorTerm, Pod } from "../generated/core/v1.types.ts"
import { matchesNodeSelector, preferredNodeScore, requiredNodeAffinity } from "./node-affinity.ts"

const node = { metadata: { name: "n1", labels: { zone: "a", cores: "8", odd: "x" } } }
const labels = (...matchExpressions: NonNullable<NodeSelectorTerm["matchExpressions"]>): NodeSelectorTerm => ({ matchExpressions })
const fields = (...matchFields: NonNullable<NodeSelectorTerm["matchFields"]>): NodeSelectorTerm => ({ matchFields })

describe("terms", () => {
  test.each<[string, NodeSelectorTerm[], boolean]>([
    ["no terms", [], false],
    ["an empty term", [{}], false],
    ["a term with empty lists", [{ matchExpressions: [], matchFields: [] }], false],
    ["In", [labels({ key: "zone", operator: "In", values: ["a", "b"] })], true],
    ["In, another value", [labels({ key: "zone", operator: "In", values: ["b"] })], false],
    ["NotIn", [labels({ key: "zone", operator: "NotIn", values: ["b"] })], true],
    ["NotIn, no such label", [labels({ key: "none", operator: "NotIn", values: ["b"] })], true],
    ["Exists", [labels({ key: "zone", operator: "Exists" })], true],
    ["DoesNotExist", [labels({ key: "zone", operator: "DoesNotExist" })], false],
    ["Gt", [labels({ key: "cores", operator: "Gt", values: ["4"] })], true],
    ["Gt, equal", [labels({ key: "cores", operator: "Gt", values: ["8"] })], false],
    ["Lt", [labels({ key: "cores", operator: "Lt", values: ["16"] })], true],
    ["Gt, no number", [labels({ key: "odd", operator: "Gt", values: ["4"] })], false],
    ["expressions are all needed", [labels({ key: "zone", operator: "Exists" }, { key: "none", operator: "Exists" })], false],
    ["one term is enough", [labels({ key: "none", operator: "Exists" }), labels({ key: "zone", operator: "Exists" })], true],
    ["the name", [fields({ key: "metadata.name", operator: "In", values: ["n1"] })], true],
    ["another name", [fields({ key: "metadata.name", operator: "In", values: ["n2"] })], false],
    ["not the name", [fields({ key: "metadata.name", operator: "NotIn", values: ["n1"] })], false],
    ["another field", [fields({ key: "spec.x", operator: "In", values: ["n1"] })], false],
    [
      "labels and fields",
      [{ ...labels({ key: "zone", operator: "Exists" }), ...fields({ key: "metadata.name", operator: "In", values: ["n2"] }) }],
      false,
    ],
    ["a wrong term beside one that matches", [fields({ key: "x", operator: "Exists" }), labels({ key: "zone", operator: "Exists" })], true],
  ])("%s", (_, nodeSelectorTerms, matches) => {
    expect(matchesNodeSelector({ nodeSelectorTerms }, node)).toBe(matches)
  })

  test.each<[NodeSelectorTerm, string]>([
    [
      fields({ key: "metadata.name", operator: "Exists" }),
      'nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
    ],
    [
      fields({ key: "metadata.name", operator: "In", values: ["a", "b"] }),
      'nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["a","b"]: must have one element',
    ],
    [
      labels({ key: "zone", operator: "Is" as never }),
      'nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Is": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
    ],
    [
      labels({ key: "zone", operator: "Gt", values: ["x"] }),
      `nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "x": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ])("%j is refused", (term, message) => {
    expect(() => matchesNodeSelector({ nodeSelectorTerms: [term] }, node)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })

  test("more terms never match less, more expressions never match more", () => {
    const expression = fc.record({
      key: fc.constantFrom("zone", "cores", "none"),
      operator: fc.constantFrom("In" as const, "NotIn" as const),
      values: fc.array(fc.constantFrom("a", "b", "8"), { minLength: 1 }),
    })
    const term = fc.array(expression, { minLength: 1, maxLength: 3 }).map((matchExpressions) => ({ matchExpressions }))
    fc.assert(
      fc.property(fc.array(term), term, expression, (terms, more, narrower) => {
        const matches = matchesNodeSelector({ nodeSelectorTerms: terms }, node)
        expect(matchesNodeSelector({ nodeSelectorTerms: [...terms, more] }, node)).toBe(
          matches || matchesNodeSelector({ nodeSelectorTerms: [more] }, node),
        )
        const narrowed = terms.map(({ matchExpressions }) => ({ matchExpressions: [...matchExpressions, narrower] }))
        if (matchesNodeSelector({ nodeSelectorTerms: narrowed }, node)) expect(matches).toBe(true)
      }),
    )
  })
})

test("preferences add up their weights", () => {
  const here = labels({ key: "zone", operator: "In", values: ["a"] })
  const there = labels({ key: "zone", operator: "In", values: ["b"] })
  const preferences = [
    { weight: 10, preference: here },
    { weight: 5, preference: there },
    { weight: 1, preference: {} },
    { weight: 3, preference: labels({ key: "cores", operator: "Exists" }) },
  ]
  expect(preferredNodeScore(preferences, node)).toBe(13)
})

test("a pod's nodeSelector and its required affinity both hold", () => {
  const pod = (spec: Partial<NonNullable<Pod["spec"]>>): Pick<Pod, "spec"> => ({ spec: { containers: [], ...spec } })
  const affinity = (...nodeSelectorTerms: NodeSelectorTerm[]) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  })
  const here = affinity(labels({ key: "zone", operator: "In", values: ["a"] }))
  expect(requiredNodeAffinity(pod({}))(node)).toBe(true)
  expect(requiredNodeAffinity(pod({ nodeSelector: { zone: "a" }, affinity: here }))(node)).toBe(true)
  expect(requiredNodeAffinity(pod({ nodeSelector: { zone: "b" }, affinity: here }))(node)).toBe(false)
  expect(requiredNodeAffinity(pod({ affinity: affinity() }))(node)).toBe(false)
})
