import type { Draw } from "../api/draw.ts"
import type { JsonObject } from "../api/objects/object.ts"
import { ExpressionDraw, type Scope, type Sort } from "./draw-expression.ts"

/** The fields of `spec`, by the sorts that rules see them as. */
const fields: readonly { readonly name: string; readonly sort: Sort }[] = [
  { name: "s", sort: "string" },
  { name: "choice", sort: "string" },
  { name: "n", sort: "int" },
  { name: "f", sort: "double" },
  { name: "flag", sort: "bool" },
  { name: "when", sort: "timestamp" },
  { name: "day", sort: "timestamp" },
  { name: "span", sort: "duration" },
  { name: "raw", sort: "bytes" },
  { name: "port", sort: "dyn" },
  { name: "names", sort: "strings" },
  { name: "tags", sort: "strings" },
  { name: "numbers", sort: "ints" },
  { name: "items", sort: "items" },
  { name: "labels", sort: "map" },
]

/** Bounds are there or not: without them most comprehensions are too dear. */
function bounded(draw: Draw, bound: string, low: number, high: number): JsonObject {
  return draw.chance(0.7) ? { [bound]: draw.int(low, high) } : {}
}

function drawSpec(draw: Draw): JsonObject {
  const text = () => ({ type: "string", ...bounded(draw, "maxLength", 3, 40) })
  const item = {
    type: "object",
    required: ["name"],
    properties: { name: text(), weight: { type: "integer" } },
    ...drawRules(draw, "item", "self"),
  }
  const properties: Record<string, JsonObject> = {
    s: { ...text(), ...(draw.chance(0.3) && drawRules(draw, "string", "self")) },
    choice: { type: "string", enum: ["a", "abc", "other"] },
    n: { type: "integer", ...(draw.chance(0.2) && drawRules(draw, "int", "self")) },
    f: { type: "number" },
    flag: { type: "boolean" },
    when: { type: "string", format: "date-time" },
    day: { type: "string", format: "date" },
    span: { type: "string", format: "duration" },
    raw: { type: "string", format: "byte", ...bounded(draw, "maxLength", 3, 40) },
    port: { "x-kubernetes-int-or-string": true },
    names: { type: "array", items: text(), ...bounded(draw, "maxItems", 1, 20) },
    tags: { type: "array", items: text(), "x-kubernetes-list-type": "set", ...bounded(draw, "maxItems", 1, 20) },
    numbers: { type: "array", items: { type: "integer" }, ...bounded(draw, "maxItems", 1, 20) },
    items: {
      type: "array",
      items: item,
      ...bounded(draw, "maxItems", 1, 20),
      ...(draw.chance(0.6) && { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }),
    },
    labels: { type: "object", additionalProperties: text(), ...bounded(draw, "maxProperties", 1, 20) },
  }
  return { type: "object", properties, ...drawRules(draw, "spec", "self", 3) }
}

/** What a rule at a place reads: the value itself, its fields, and its older value in some. */
function scopeOf(place: "spec" | Sort, root: string): Scope {
  if (place === "spec") return fields.map(({ name, sort }) => ({ text: `${root}.${name}`, sort }))
  const own: Scope = [{ text: root, sort: place }]
  return place === "item"
    ? [
        { text: `${root}.name`, sort: "string" },
        { text: `${root}.weight`, sort: "int" },
      ]
    : own
}

function drawRules(draw: Draw, place: "spec" | Sort, root: string, max = 1): JsonObject {
  const rules = draw.times(0, max, () => drawRule(draw, place, root))
  return rules.length === 0 ? {} : { "x-kubernetes-validations": rules }
}

function drawRule(draw: Draw, place: "spec" | Sort, root: string): JsonObject {
  const transition = draw.chance(0.15)
  const optional = transition && draw.chance(0.3)
  const scope = [...scopeOf(place, root), ...(transition && !optional ? scopeOf(place, "oldSelf") : [])]
  const expressions = new ExpressionDraw(draw, draw.pick([0, 0, 0.02, 0.1]))
  const body = expressions.expression("bool", scope, draw.int(1, 4))
  return {
    rule: optional ? `!oldSelf.hasValue() || (${body})` : body,
    ...(draw.chance(0.2) && { message: draw.pick(["is wrong", "", "two\nlines", " "]) }),
    ...(draw.chance(0.25) && { messageExpression: expressions.expression("string", scope, draw.int(0, 2)) }),
    ...(draw.chance(0.15) && {
      reason: draw.pick(["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid"]),
    }),
    ...(draw.chance(0.1) && { fieldPath: draw.pick([".s", ".missing", "s", ".items", ".labels['a']", ".names[0]"]) }),
    ...((optional || draw.chance(0.03)) && { optionalOldSelf: true }),
  }
}

/** Makes rules true that do not read an older value: few objects satisfy all rules, and only those that are stored have an older value. */
function lenient(schema: JsonObject): JsonObject {
  const softened = (key: string, value: unknown) =>
    key === "rule" && !String(value).includes("oldSelf") ? `(${value}) || dyn(1) == 1` : value
  return JSON.parse(JSON.stringify(schema), softened) as JsonObject
}

/** Gives fields, items and `spec` itself defaults of their types, which rules in them and around them may refuse. */
function withDefaults(draw: Draw, spec: JsonObject): JsonObject {
  const values = drawObjectSpec(draw)
  const properties = Object.entries(spec.properties as Record<string, JsonObject>).map(([name, schema]) => {
    const value = values[name]
    return [name, value === undefined || draw.chance(0.6) ? schema : { ...schema, default: value }] as const
  })
  const items = (spec.properties as { readonly items: JsonObject }).items
  const item = items.items as { readonly properties: Record<string, JsonObject> }
  const weighed = { ...item, properties: { ...item.properties, weight: { ...item.properties.weight, default: draw.int(-1, 3) } } }
  return {
    ...spec,
    properties: { ...Object.fromEntries(properties), ...(draw.chance(0.2) && { items: { ...items, items: weighed } }) },
    ...(draw.chance(0.4) && { default: draw.chance(0.3) ? withUnknown(drawObjectSpec(draw)) : drawObjectSpec(draw) }),
  }
}

/** Its error shows the whole default: a label such as "10", which JavaScript puts before all others, would stand elsewhere in it. */
function withUnknown({ labels: _labels, ...spec }: JsonObject): JsonObject {
  return { ...spec, unknown: 1 }
}

/** Without its rules. */
function unruled(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === "x-kubernetes-validations" ? undefined : value))) as JsonObject
}

/** The version without rules, of a definition that has one: objects that rules refuse are stored through it. */
export const unruledVersion = "v2"

/** Returns a definition with rules at several places; about half of them are accepted. */
export function drawDefinition(draw: Draw, plural: string): JsonObject {
  const spec = drawSpec(draw)
  // Rules are evaluated on defaults before their cost is estimated: lists.range of a large default takes all memory of the real server.
  const mayDefault = !JSON.stringify(spec).includes("lists.range(")
  const drawn = {
    type: "object",
    properties: { spec: mayDefault && draw.chance(0.5) ? withDefaults(draw, spec) : spec },
    ...(draw.chance(0.1) && { "x-kubernetes-validations": [{ rule: "self.metadata.name.size() < 30" }] }),
  }
  const isStoredAnyway = draw.chance(0.5)
  const schema = !isStoredAnyway && draw.chance(0.6) ? lenient(drawn) : drawn
  const second = { name: unruledVersion, served: true, storage: false, schema: { openAPIV3Schema: unruled(schema) } }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.cel.test` },
    spec: {
      group: "cel.test",
      scope: "Cluster",
      names: { plural, kind: plural[0]!.toUpperCase() + plural.slice(1) },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }, ...(isStoredAnyway ? [second] : [])],
    },
  }
}

const texts = ["", "a", "b", "abc", "x,y", "10", "1Gi", "10.0.0.1", "1.2.3", "https://example.com", "é"]

/** Returns a `spec` that has the types of the schema; most fields are there. */
export function drawObjectSpec(draw: Draw): JsonObject {
  const text = () => draw.pick(texts)
  const number = () => draw.pick([0, 1, 2, 3, 7, -1, 100, 9007199254740992])
  const names = (max: number) => [...new Set(draw.times(0, max, text))]
  const all: JsonObject = {
    s: text(),
    choice: draw.pick(["a", "abc", "other"]),
    n: number(),
    f: draw.pick([0.5, 1, -2.25, 1e10]),
    flag: draw.chance(0.5),
    when: draw.pick(["2024-01-01T00:00:00Z", "2025-06-07T08:09:10.5+02:00"]),
    day: draw.pick(["2024-01-01", "2030-12-31"]),
    span: draw.pick(["1h", "90s", "1h0m0.5s"]),
    raw: draw.pick(["YWJj", "AAEC", ""]),
    port: draw.pick([80, "http", 1]),
    names: draw.times(0, 4, text),
    tags: names(4),
    numbers: draw.times(0, 4, number),
    items: names(3).map((name) => ({ name, ...(draw.chance(0.7) && { weight: number() }) })),
    labels: Object.fromEntries(names(3).map((name) => [name, text()])),
  }
  return Object.fromEntries(Object.entries(all).filter(() => draw.chance(0.95)))
}
