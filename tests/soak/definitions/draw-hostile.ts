import type { SeededRandom } from "@pilothouse/seams"
import { Draw } from "../../real/api/draw.ts"
import type { JsonObject } from "../../real/api/objects/object.ts"
import { drawDefinition, drawValidDefinition } from "../../real/crds/draw-definition.ts"
import { spoiled } from "../fuzz/objects.ts"

type Schema = Record<string, unknown>

const odd: readonly unknown[] = [null, true, -1, 1.5, 1e308, 2 ** 53, "", "a", "💥", "__proto__", "constructor", [], {}, [null], [[]]]
const rules = [
  "self == self",
  "self.all(x, self.all(y, x == y))",
  "size(self) > 0 || has(self.a)",
  "self.matches('(a+)+$')",
  "[1,2,3].map(x, [x].map(y, [y]))",
  "'a' + 'b' + string(self)",
  "((((((((((true))))))))))",
  "self.",
  "oldSelf == self",
  "quantity('1Gi').isGreaterThan(quantity('1Mi'))",
  "cel.bind(x, self, x == x)",
  "self.orValue(1)",
  "1/0 == 1",
  "\u0000",
]

/** A definition as a careless or hostile author sends it: random, hit somewhere, or grown. */
export function drawHostile(random: SeededRandom, index: number): unknown {
  const draw = new Draw(random)
  const way = draw.int(0, 3)
  if (way === 0) return drawDefinition(draw, index)
  const definition = drawValidDefinition(draw, index)
  if (way === 1) return spoiled(random, definition, () => draw.pick(odd))
  if (way === 2) return withSchema(definition, grown(draw))
  return withSchema(definition, ruled(draw))
}

function withSchema(definition: JsonObject, spec: Schema): JsonObject {
  const openAPIV3Schema = { type: "object", properties: { spec } }
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }]
  return { ...definition, spec: { ...(definition.spec as JsonObject), versions } }
}

/** One part of a schema that is much larger than any author writes. */
function grown(draw: Draw): Schema {
  const size = draw.pick([10, 100, 1000])
  const many = <T>(make: (at: number) => T): T[] => Array.from({ length: size }, (_, at) => make(at))
  const ways: readonly (() => Schema)[] = [
    () => many(() => 0).reduce<Schema>((inner) => ({ type: "object", properties: { a: inner } }), { type: "string" }),
    () => many(() => 0).reduce<Schema>((inner) => ({ type: "array", items: inner }), { type: "string" }),
    () => many(() => 0).reduce<Schema>((inner) => ({ type: "object", additionalProperties: inner }), { type: "string" }),
    () => ({ type: "string", not: many(() => 0).reduce<Schema>((inner) => ({ not: inner }), { pattern: "a" }) }),
    () => ({ type: "object", properties: Object.fromEntries(many((at) => [`p${at}`, { type: "string", default: "x" }])) }),
    () => ({ type: "string", [draw.pick(["allOf", "anyOf", "oneOf"])]: many((at) => ({ pattern: `a{${at}}` })) }),
    () => ({ type: "string", enum: many((at) => `value ${at}`) }),
    () => ({ type: "object", required: many((at) => `p${at}`), properties: {} }),
    () => ({ type: "string", pattern: `(a${"|a".repeat(size)})*$` }),
    () => ({ type: "array", items: { type: "string" }, default: many((at) => `${at}`), "x-kubernetes-list-type": "set" }),
  ]
  return draw.pick(ways)()
}

function ruled(draw: Draw): Schema {
  const places: readonly Schema[] = [
    { type: "string" },
    { type: "object", properties: { a: { type: "string" } } },
    { type: "array", items: { type: "array", items: { type: "string" } } },
    { type: "object", additionalProperties: { type: "integer" } },
    { "x-kubernetes-int-or-string": true },
  ]
  const long = draw.chance(0.1) ? ` && ${"true && ".repeat(draw.pick([10, 300]))}true` : ""
  const validations = draw.times(1, 4, () => ({
    rule: `${draw.pick(rules)}${long}`,
    ...(draw.chance(0.3) && { messageExpression: draw.pick(["'a'", "string(self)", "self", "("]) }),
    ...(draw.chance(0.2) && { fieldPath: draw.pick([".a", "['a']", ".", "a", ".a.b.c"]) }),
  }))
  return { ...draw.pick(places), "x-kubernetes-validations": validations }
}
