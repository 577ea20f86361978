import { formatFieldError } from "@pilothouse/api"
import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileRules } from "./compile-rules.ts"
import { validateRules } from "./validate-rules.ts"

const hundred = Array.from({ length: 100 }, (_unused, index) => index)
const integers = { type: "array", items: { type: "integer" } }

/** Compiles a rule for an object with a hundred items in `n` and a field `f`. */
function compiledRule(rule: string, field: JsonSchema, checksValues = false) {
  const schema = { type: "object", properties: { n: integers, f: field }, "x-kubernetes-validations": [{ rule }] }
  return compileRules(schema, { isResourceRoot: false, checksValues })
}

describe("a rule that selects a list for each of a hundred items", () => {
  /** A list or a map whose first value counts how often it is read. */
  function observed<T extends object>(values: T, first: keyof T): { readonly values: T; readonly reads: () => number } {
    let reads = 0
    const value = values[first]
    Object.defineProperty(values, first, { enumerable: true, get: () => (reads++, value) })
    return { values, reads: () => reads }
  }

  it.each([
    ["numbers", { type: "array", items: { type: "number" } }, "self.f.size() == 3", [1, 2, 3], 0],
    ["moments", { type: "array", items: { type: "string", format: "date" } }, "self.f.size() == 2", ["2024-01-01", "2024-01-02"], 0],
    ["lists", { type: "array", items: { type: "array", items: { type: "number" } } }, "self.f[0][0] == 1.0", [[1]], 0],
    ["a map of numbers", { type: "object", additionalProperties: { type: "number" } }, "self.f.a == 0.5", { a: 0.5 }, "a"],
    ["a duration that is none", { type: "array", items: { type: "string", format: "duration" } }, "self.f == [] || true", ["1s", "x"], 0],
  ])("converts it once: %s", (_name, field, test, values, first) => {
    const { values: f, reads } = observed(values as Record<string | number, unknown>, first)
    const compiled = compiledRule(`self.n.all(i, ${test})`, field)
    expect(validateRules(compiled, "root", { n: hundred, f } as never).errors).toEqual([])
    const once = reads()
    expect(once).toBeGreaterThan(0)
    expect(once).toBeLessThanOrEqual(2)
    expect(validateRules(compiled, "root", { n: hundred, f } as never).errors).toEqual([])
    expect(reads()).toBe(2 * once)
  })
})

describe("a rule that compares long lists for each of a hundred items", () => {
  const overLimit =
    "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: "
  const item = { type: "object", properties: { k: { type: "string" }, v: { type: "number" } }, required: ["k"] }
  const items = Array.from({ length: 10_000 }, (_unused, index) => ({ k: `k${index}`, v: index }))
  const texts = items.map(({ k }) => k)
  const rows: readonly (readonly [string, JsonSchema, unknown])[] = [
    ["map", { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"], items: item }, items],
    ["set", { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } }, texts],
    ["atomic", { type: "array", items: item }, items],
    ["object", { type: "object", additionalProperties: item }, Object.fromEntries(items.map((one) => [one.k, one]))],
  ]

  it.each(rows.flatMap(([name, field, f]) => [false, true].map((checked) => [name, checked, field, f] as const)))(
    "ends at the cost limit: %s, values are checked: %s",
    (_name, checked, field, f) => {
      const rule = "self.n.all(i, self.f == self.f)"
      const { errors } = validateRules(compiledRule(rule, field, checked), "root", { n: hundred, f } as never)
      expect(errors.map(formatFieldError)).toEqual([`root: Invalid value: "object": ${overLimit}${rule}`])
    },
  )

  it.each(rows)("costs what it does upstream for one comparison: %s", (_name, field, f) => {
    const { errors, cost } = validateRules(compiledRule("self.f == self.f", field), "root", { n: hundred, f } as never)
    expect({ errors, cost }).toEqual({ errors: [], cost: 1004 })
  })
})
