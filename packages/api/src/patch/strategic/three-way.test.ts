import { describe, expect, test } from "vitest"
import { deepFreeze } from "../../meta/freeze.ts"
import { podSchema } from "../testing/schemas.ts"
import { PatchError } from "../values/patch-error.ts"
import { applyStrategicMerge } from "./merge.ts"
import { type ThreeWayMerge, threeWayStrategicMerge } from "./three-way.ts"

type Value = Record<string, unknown>

const order = (...names: string[]) => names.map((name) => ({ name }))

function merge(original: Value | undefined, modified: Value, current: Value, more: Partial<ThreeWayMerge> = {}): Value {
  const specs = {
    original: original === undefined ? undefined : { spec: original },
    modified: { spec: modified },
    current: { spec: current },
  }
  return threeWayStrategicMerge({ ...deepFreeze(specs), schema: podSchema, overwrite: true, ...more })
}

describe("kubectl apply", () => {
  interface Row {
    readonly original?: Value
    readonly modified: Value
    readonly current: Value
    readonly patch: Value
    readonly result: Value
  }

  test.each<[string, Row]>([
    [
      "nothing to do",
      {
        original: { replicas: 1 },
        modified: { replicas: 1 },
        current: { replicas: 1, opaque: 1 },
        patch: {},
        result: { replicas: 1, opaque: 1 },
      },
    ],
    [
      "the first time, onto what is there",
      { modified: { replicas: 1 }, current: { replicas: 2, opaque: 1 }, patch: { replicas: 1 }, result: { replicas: 1, opaque: 1 } },
    ],
    [
      "sets what drifted",
      { original: { replicas: 1 }, modified: { replicas: 1 }, current: { replicas: 5 }, patch: { replicas: 1 }, result: { replicas: 1 } },
    ],
    [
      "removes what was applied and is no more",
      {
        original: { replicas: 1, nodeSelector: { a: "1" } },
        modified: { nodeSelector: {} },
        current: { replicas: 1, nodeSelector: { a: "1", s: "1" } },
        patch: { replicas: null, nodeSelector: { a: null } },
        result: { nodeSelector: { s: "1" } },
      },
    ],
    [
      "keeps what only the server has",
      {
        original: {},
        modified: {},
        current: { replicas: 3, containers: order("s") },
        patch: {},
        result: { replicas: 3, containers: order("s") },
      },
    ],
    [
      "an explicit null stays a deletion",
      { original: {}, modified: { replicas: null }, current: { replicas: 3 }, patch: { replicas: null }, result: {} },
    ],
    [
      "an element changed beside a server-only one",
      {
        original: { containers: [{ name: "a", image: "1" }] },
        modified: { containers: [{ name: "a", image: "2" }] },
        current: { containers: [{ name: "s" }, { name: "a", image: "1", env: [{ name: "d" }] }] },
        patch: { containers: [{ name: "a", image: "2" }], "$setElementOrder/containers": order("a") },
        result: { containers: [{ name: "s" }, { name: "a", image: "2", env: [{ name: "d" }] }] },
      },
    ],
    [
      "an element replaced by another",
      {
        original: { containers: order("a") },
        modified: { containers: order("b") },
        current: { containers: order("s", "a") },
        patch: { containers: [{ name: "b" }, { name: "a", $patch: "delete" }], "$setElementOrder/containers": order("b") },
        result: { containers: order("s", "b") },
      },
    ],
    [
      "a union changes its kind and clears what was defaulted",
      {
        original: { rollout: { type: "a" } },
        modified: { rollout: { type: "b" } },
        current: { rollout: { type: "a", partition: 1 } },
        patch: { rollout: { type: "b", $retainKeys: ["type"] } },
        result: { rollout: { type: "b" } },
      },
    ],
    [
      "a list without strategy is set whole",
      {
        original: { tolerations: [{ key: "a" }] },
        modified: { tolerations: [{ key: "b" }] },
        current: { tolerations: [{ key: "a" }, { key: "s" }] },
        patch: { tolerations: [{ key: "b" }] },
        result: { tolerations: [{ key: "b" }] },
      },
    ],
  ])("%s", (_name, { original, modified, current, patch, result }) => {
    const merged = merge(original, modified, current)
    expect(merged).toEqual(Object.keys(patch).length === 0 ? {} : { spec: patch })
    expect(applyStrategicMerge({ spec: current }, merged, podSchema)).toEqual({ spec: result })
  })

  test("finalizers of others stay, our removed one goes", () => {
    const metadata = (...finalizers: string[]) => ({ metadata: { finalizers } })
    const parts = { original: metadata("a", "b"), modified: metadata("b", "c"), current: metadata("a", "s", "b") }
    const patch = threeWayStrategicMerge({ ...deepFreeze(parts), schema: podSchema, overwrite: true })
    expect(patch).toEqual({
      metadata: { finalizers: ["c"], "$deleteFromPrimitiveList/finalizers": ["a"], "$setElementOrder/finalizers": ["b", "c"] },
    })
    expect(applyStrategicMerge(parts.current, patch, podSchema)).toEqual(metadata("s", "b", "c"))
  })
})

describe("without overwrite", () => {
  const conflicting: [string, Value, Value, Value][] = [
    ["both changed a value", { replicas: 1 }, { replicas: 2 }, { replicas: 3 }],
    ["we removed what they changed", { replicas: 1 }, {}, { replicas: 3 }],
    ["they removed what we changed", { replicas: 1 }, { replicas: 2 }, {}],
    [
      "both changed a field of an element",
      { containers: [{ name: "a", image: "1" }] },
      { containers: [{ name: "a", image: "2" }] },
      { containers: [{ name: "a", image: "3" }] },
    ],
    [
      "they changed an element that we deleted",
      { containers: [{ name: "a", image: "1" }] },
      { containers: [] },
      { containers: [{ name: "a", image: "3" }] },
    ],
    [
      "a list without strategy got another length",
      { tolerations: [{ key: "a" }] },
      { tolerations: [{ key: "b" }] },
      { tolerations: [{ key: "a" }, { key: "c" }] },
    ],
    [
      "a list of another kind",
      { containers: [{ name: "a", command: ["x"] }] },
      { containers: [{ name: "a", command: ["y"] }] },
      { containers: [{ name: "a", command: ["z"] }] },
    ],
    ["an object against a removal", { rollout: { type: "a" } }, { rollout: { type: "b" } }, {}],
  ]
  test.each(conflicting)("%s: a conflict", (_name, original, modified, current) => {
    try {
      merge(original, modified, current, { overwrite: false })
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(PatchError)
      expect((thrown as PatchError).status).toBe(409)
      expect((thrown as PatchError).message).toMatch(/^patch:\n[^]*\nconflicts with changes made from original to current:\n/)
      expect(merge(original, modified, current)).toHaveProperty("spec")
      return
    }
    throw new Error("no conflict was found")
  })

  test.each<[string, Value, Value, Value]>([
    ["different fields", { replicas: 1 }, { replicas: 2 }, { replicas: 1, nodeSelector: { s: "1" } }],
    ["different elements", { containers: order("a") }, { containers: order("a", "b") }, { containers: order("a", "s") }],
    ["the same list, said twice", { tolerations: [{ key: "a" }] }, { tolerations: [{ key: "b" }] }, { tolerations: [{ key: "b" }] }],
    ["the same change", { replicas: 1 }, { replicas: 2 }, { replicas: 2 }],
    ["objects that are replaced whole", { affinity: { zone: "a" } }, { affinity: { zone: "b" } }, { affinity: { zone: "c" } }],
  ])("%s: none", (_name, original, modified, current) => {
    expect(merge(original, modified, current, { overwrite: false })).toEqual(merge(original, modified, current))
  })

  test("both took the same finalizer away: none", () => {
    const metadata = (...finalizers: string[]) => ({ metadata: { finalizers } })
    const parts = { original: metadata("a", "b"), modified: metadata("b"), current: metadata("b", "s") }
    const patch = threeWayStrategicMerge({ ...parts, schema: podSchema, overwrite: false })
    expect(applyStrategicMerge(parts.current, patch, podSchema)).toEqual(metadata("b", "s"))
  })
})
