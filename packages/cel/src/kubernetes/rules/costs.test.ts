import { describe, expect, it } from "vitest"
import type { Value } from "../../index.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { compileRules } from "./compile-rules.ts"

const properties: Readonly<Record<string, JsonSchema>> = {
  i: { type: "integer" },
  s: { type: "string", maxLength: 10 },
  u: { type: "string" },
  t: { type: "string", format: "date-time" },
  li: { type: "array", maxItems: 5, items: { type: "integer" } },
  ls: { type: "array", maxItems: 3, items: { type: "string", maxLength: 4 } },
  lu: { type: "array", items: { type: "string" } },
  m: { type: "object", maxProperties: 3, additionalProperties: { type: "string", maxLength: 5 } },
  o: { type: "object", properties: { a: { type: "integer" } } },
}

const self: Value = {
  i: 3,
  s: "hello",
  u: "a longer text, with commas",
  t: "2020-01-02T03:04:05Z",
  li: [3, 1, 2],
  ls: ["b", "a"],
  lu: ["x", "yy"],
  m: { k: "v", l: "w" },
  o: { a: 1 },
}

/** Rules that hold, the bounds of their estimate and what they cost; kube-apiserver 1.36 comes to the same maxima and costs. */
const rows: readonly (readonly [rule: string, min: number, max: number, cost: number])[] = [
  ["true", 0, 0, 0],
  ["self.i > 1", 3, 3, 3],
  ["has(self.o.a)", 2, 2, 2],
  ["self.o.a == 1", 3, 3, 4],
  ["self.s == 'hello'", 3, 3, 3],
  ["self.s + self.u != ''", 4, 314581, 8],
  ["self.s.startsWith('he')", 3, 3, 3],
  ["self.u.contains('longer')", 2, 314575, 5],
  ["self.s.matches('^h.*o$')", 4, 12, 4],
  ["self.u.matches('^a')", 3, 314575, 5],
  ["self.i > 1 && self.s == 'x' || true", 3, 6, 6],
  ["self.i > 1 ? self.i == 3 : self.s == ''", 5, 5, 6],
  ["self.li.all(x, x > 0)", 3, 28, 18],
  ["self.li.exists(x, x == 1)", 3, 28, 18],
  ["self.li.exists_one(x, x == 1)", 4, 19, 12],
  ["self.li.map(x, x * 2).size() == 3", 15, 85, 47],
  ["self.li.filter(x, x > 1).size() == 2", 15, 90, 37],
  ["self.lu.all(x, x.startsWith('x') || x.contains('y'))", 3, 329859674928, 15],
  ["self.m.all(k, self.m[k] != '')", 3, 24, 15],
  ["self.m.all(k, v, k != v)", 3, 18, 15],
  ["self.i in [1, 2, 3]", 15, 15, 2],
  ["self.i in self.li", 4, 9, 7],
  ["[self.i, 3].size() == 2", 14, 14, 14],
  ["{'a': self.i}.a == 3", 33, 33, 35],
  ["self.?i.orValue(0) == 3", 4, 4, 3],
  ["self.li[0] == 3", 3, 3, 4],
  ["self.li[self.i - 3] == 3", 6, 6, 7],
  ["self.s.lowerAscii() == 'hello'", 3, 7, 4],
  ["self.u.replace('a', 'bb') != ''", 2, 629148, 8],
  ["self.u.split(',').size() == 2", 4, 629150, 10],
  ["self.ls.join(',') == 'b,a'", 3, 8, 4],
  ["self.li.sum() == 6", 3, 8, 6],
  ["self.ls.max() == 'b'", 3, 12, 3],
  ["self.li.sort() == [1, 2, 3]", 24, 74, 32],
  ["self.li.distinct().size() == 3", 15, 65, 33],
  ["sets.contains(self.li, [1])", 13, 18, 6],
  ["self.u.find('[a-z]+') == 'a'", 5, 629149, 9],
  ["url('https://example.com/a').getHost() == 'example.com'", 5, 6, 6],
  ["quantity('1Gi').isGreaterThan(quantity('1G'))", 3, 3, 3],
  ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", 3, 6, 3],
  ["ip('::1') == ip('::1')", 3, 3, 3],
  ["!format.dns1123Label().validate(self.s).hasValue()", 5, 133, 13],
  ["semver('1.2.3').isLessThan(semver('1.3.0'))", 3, 3, 3],
  ["self.t > timestamp('2019-01-01T00:00:00Z')", 4, 4, 3],
  ["type(self.i) == int", 4, 4, 4],
  ["dyn(self.s) == 'hello'", 4, 4, 4],
]

describe("the cost of a rule", () => {
  it.each(rows)("%s is between %d and %d, and %d for an object", (rule, min, max, cost) => {
    const schema: JsonSchema = { type: "object", properties, "x-kubernetes-validations": [{ rule }] }
    const program = compileRules(schema, { isResourceRoot: false }).root?.rules[0]?.program
    expect(program?.estimateCost()).toEqual({ min, max })
    expect(program?.evaluate({ self })).toEqual({ kind: "value", value: true, cost })
  })

  it("ends an evaluation that reaches its limit", () => {
    const schema: JsonSchema = { type: "object", properties, "x-kubernetes-validations": [{ rule: "self.li.all(x, x > 0)" }] }
    const program = compileRules(schema, { isResourceRoot: false }).root?.rules[0]?.program
    expect(program?.evaluate({ self }, { costLimit: 18 })).toMatchObject({ kind: "value" })
    expect(program?.evaluate({ self }, { costLimit: 17 })).toMatchObject({ kind: "error", costLimitExceeded: true })
  })
})
