import { formatFieldError } from "@pilothouse/api"
import { describe, expect, it } from "vitest"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileRules } from "./compile-rules.ts"
import { validateRules } from "./validate-rules.ts"

const text: JsonSchema = { type: "string" }
const properties: Readonly<Record<string, JsonSchema>> = {
  i: { type: "integer" },
  f: { type: "number" },
  s: text,
  b: { type: "boolean" },
  l: { type: "array", items: { type: "integer" } },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  m: { type: "object", additionalProperties: { type: "integer" } },
  o: { type: "object", properties: { x: { type: "integer" } } },
  p: { "x-kubernetes-int-or-string": true },
  items: { type: "array", items: text },
  entries: { type: "object", additionalProperties: text },
  optional: { type: "array", items: { type: "string", nullable: true } },
  t: { type: "string", format: "date-time" },
}
const object = {
  i: "1",
  f: true,
  s: 1,
  b: "yes",
  l: { a: 1 },
  set: "x",
  m: [1],
  o: 1.5,
  p: [],
  items: ["a", 2, null],
  entries: { a: "b", c: 3 },
  optional: [null],
  t: 5,
}

/** Rules, what kube-apiserver says of an object that keeps values of other types than its schema has, and what that costs. */
const rows: readonly (readonly [rule: string, fault: string | undefined, cost: number])[] = [
  ["self.i == 1", "expected int, got string", 3],
  ["self.f > 1.0", "expected float, got bool", 3],
  ["self.s.startsWith('1')", "expected string, got int64", 3],
  ["size(self.s) > 0", "expected string, got int64", 4],
  ["self.b", "expected bool, got string", 2],
  ["!self.b || true", undefined, 3],
  ["self.l[0] == 1", "expected an array for the provided schema with type=array", 3],
  ["self.l.all(x, x > 0)", "expected an array for the provided schema with type=array", 2],
  ["'x' in self.set", "expected an array for the provided schema with type=array", 3],
  ["self.m['a'] == 1", "expected a map for the provided schema with type=object", 3],
  ["self.m.all(k, k != '')", "expected a map for the provided schema with type=object", 2],
  ["self.o.x == 1", "expected a map for the provided schema with type=object", 3],
  ["has(self.o)", "expected a map for the provided schema with type=object", 1],
  ["has(self.p)", "expected XIntOrString value to be either a string or integer", 1],
  ["self.t > timestamp(0)", "expected string, got int64", 3],
  ["self.items.size() == 3 && self.items[0] == 'a'", undefined, 8],
  ["self.items[1] == 'a'", "expected string, got int64", 4],
  ["self.items[2] == 'a'", "got null for schema with nullable=false", 4],
  ["self.entries.a == 'b' && 'c' in self.entries", "expected string, got int64", 7],
  ["self.entries['c'] == 'b'", "expected string, got int64", 4],
  ["self.optional.size() == 1 && self.optional[0] != 'a'", undefined, 8],
]

describe("values of other types than the schema has", () => {
  it.each(rows)("%s: %s", (rule, fault, cost) => {
    const schema: JsonSchema = { type: "object", properties, "x-kubernetes-validations": [{ rule }] }
    const found = validateRules(compileRules(schema, { isResourceRoot: false, checksValues: true }), "root", object)
    const error = `root: Invalid value: "object": invalid data, ${fault} evaluating rule: ${rule}`
    expect([found.errors.map(formatFieldError), found.cost]).toEqual([fault === undefined ? [] : [error], cost])
  })
})

describe("an older value that its schema cannot read any more", () => {
  it("is an error of the rules that read it as an optional", () => {
    const rule = { rule: "!oldSelf.hasValue() || oldSelf.value() <= self", optionalOldSelf: true }
    const compiled = compileRules({ type: "string", format: "duration", "x-kubernetes-validations": [rule] }, { isResourceRoot: false })
    expect(validateRules(compiled, "root", "1h", "soon").errors.map(formatFieldError)).toEqual([
      `root: Invalid value: "string": Invalid duration soon: unable to parse soon as duration evaluating rule: ${rule.rule}`,
    ])
  })
})
