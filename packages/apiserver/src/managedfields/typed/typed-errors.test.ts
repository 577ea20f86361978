import { schemaOf } from "@pilothouse/api/schemas"
import { describe, expect, test } from "vitest"
import { anything, atomic, flag, keyedBy, mapOf, number, object, raw, setOf, text, withDefault } from "../testing/schemas.ts"
import { typedErrors, typedFailure } from "./typed-errors.ts"

const schema = object({
  name: text,
  when: { type: "string", format: "date-time" },
  share: { type: "string", format: "int-or-string" },
  size: number,
  fast: flag,
  inner: object({ a: text }),
  map: mapOf(text),
  whole: atomic(mapOf(number)),
  list: atomic(setOf(text)),
  tags: setOf(text),
  items: keyedBy(["name"], object({ name: text, size: number })),
  pairs: keyedBy(["b", "a"], object({ a: text, b: number })),
  ports: keyedBy(["port", "protocol"], object({ port: number, protocol: withDefault(text, "TCP") })),
  free: anything,
  opaque: raw,
})

describe("a value that fits has no errors", () => {
  test.each([
    [{}],
    [null],
    [{ name: null, size: null, inner: null, map: null, tags: null, items: null }],
    [{ name: "a", when: "2024-01-02T03:04:05Z", share: 5, size: 1.5, fast: false }],
    [{ when: 5, share: "50%", size: 2n ** 62n }],
    [{ tags: ["a", "b"], items: [{ name: "a" }, { name: "b" }], pairs: [{ a: "x" }, { b: 1 }], ports: [{}] }],
    [{ free: [{ a: [null] }], opaque: { a: { b: [] } } }],
    [{ name: undefined, unknown: undefined }],
  ])("%o", (value) => {
    expect(typedErrors(value, schema, { allowDuplicates: false })).toEqual([])
  })
})

describe("upstream's words for", () => {
  test.each([
    ["a field that is not declared", { inner: { b: 1 } }, ".inner.b: field not declared in schema"],
    ["a key that every object inherits", { constructor: 1 }, ".constructor: field not declared in schema"],
    ["a text that is a number", { name: 5 }, ".name: expected string, got &value.valueUnstructured{Value:5}"],
    ["a text that is a list", { name: ["a", 1] }, '.name: expected string, got &value.valueUnstructured{Value:[]interface {}{"a", 1}}'],
    [
      "a text that is a map",
      { name: { b: true, a: null } },
      '.name: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":interface {}(nil), "b":true}}',
    ],
    ["a number that is a text", { size: "5" }, ".size: expected numeric (int or float), got string"],
    ["a number that is a list", { size: [] }, ".size: expected numeric (int or float), got []interface {}"],
    ["a number that is a map", { size: {} }, ".size: expected numeric (int or float), got map[string]interface {}"],
    ["a number that is a boolean", { size: true }, ".size: expected numeric (int or float), got bool"],
    ["a boolean that is a text", { fast: "yes" }, ".fast: expected boolean, got &{yes}"],
    ["any scalar that is a map", { when: { a: 1 } }, ".when: expected any scalar, got &{map[a:1]}"],
    ["an object that is a scalar", { inner: 3 }, ".inner: expected map, got &{3}"],
    ["a map that is a list", { map: ["a", "b"] }, ".map: expected map, got &{[a b]}"],
    ["a list that is a map", { tags: { a: 1 } }, ".tags: expected list, got &{map[a:1]}"],
    ["a value of a map", { map: { k: 1 } }, ".map.k: expected string, got &value.valueUnstructured{Value:1}"],
    ["a value inside of an atomic map", { whole: { k: "x" } }, ".whole.k: expected numeric (int or float), got string"],
    ["an item of an atomic list", { list: ["a", 1] }, ".list[1]: expected string, got &value.valueUnstructured{Value:1}"],
    ["a field of an item", { items: [{ name: "a", size: "x" }] }, '.items[name="a"].size: expected numeric (int or float), got string'],
    ["a set with an item twice", { tags: ["a", "b", "a"] }, '.tags: duplicate entries for key [="a"]'],
    [
      "a keyed list with an item twice",
      { ports: [{ port: 80 }, { port: 80, protocol: "TCP" }] },
      '.ports: duplicate entries for key [port=80,protocol="TCP"]',
    ],
    ["an item without its key", { items: [{ name: "a" }, { size: 1 }] }, `.items: element 1: ${omitted('"name"')}`],
    ["an item without any of its keys, as they are declared", { pairs: [{}] }, `.pairs: element 0: ${omitted('"b" "a"')}`],
    ["an item that is null", { items: [null] }, ".items: element 0: associative list with keys may not have a null element"],
    ["an item that is a scalar", { items: ["a"] }, ".items: element 0: associative list with keys may not have non-map elements"],
    [
      "an item of a set that is null",
      { tags: [null] },
      ".tags: element 0: associative list without keys has an element that's an explicit null",
    ],
    ["an item of a set that is a map", { tags: [{}] }, ".tags: element 0: associative list without keys has an element that's a map type"],
    ["an item of a set that is a list", { tags: [[]] }, ".tags: element 0: not supported: associative list with lists as elements"],
    ["a root that is no object", "x", "expected map, got &{x}"],
  ])("%s", (_title, value, message) => {
    expect(typedErrors(value, schema, { allowDuplicates: false })).toEqual([message])
  })
})

function omitted(keys: string): string {
  return `associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`
}

test("live objects may have items twice", () => {
  expect(typedErrors({ tags: ["a", "a"], items: [{ name: "a" }, { name: "a" }] }, schema, { allowDuplicates: true })).toEqual([])
})

test("several errors are a list, one stands alone", () => {
  const errors = typedErrors({ name: 1, items: [{ name: "a", size: "x" }, { name: "a" }] }, schema, { allowDuplicates: false })
  expect(typedFailure(errors)).toBe(
    [
      "errors:",
      "  .name: expected string, got &value.valueUnstructured{Value:1}",
      '  .items[name="a"].size: expected numeric (int or float), got string',
      '  .items: duplicate entries for key [name="a"]',
    ].join("\n"),
  )
  expect(typedFailure(errors.slice(0, 1))).toBe(errors[0])
})

test("a Deployment of a client", () => {
  const deployment = schemaOf({ group: "apps", version: "v1", kind: "Deployment" })!
  const container = { name: "c", image: "i", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }] }
  const value = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: { template: { spec: { containers: [container], unknownField: 1 } } },
  }
  expect(typedErrors(value, deployment, { allowDuplicates: false })).toEqual([
    '.spec.template.spec.containers[name="c"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
    ".spec.template.spec.unknownField: field not declared in schema",
  ])
})

test("a value that is too deep is an error, not an overflow", () => {
  let deep: unknown = {}
  for (let depth = 0; depth < 20_000; depth++) deep = { a: deep }
  const [error] = typedErrors({ free: deep }, schema, { allowDuplicates: false })
  expect(error).toMatch(/^\.free\.a.*: exceeded max depth$/)
})
