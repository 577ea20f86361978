import { parseJson, stringifyJson } from "@pilothouse/seams"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { ManagedFieldsSkipper, parseWithoutManagedFields } from "./skip-managed-fields.ts"

const entry = { manager: "kubectl", operation: "Update", fieldsV1: { "f:spec": { 'k:{"name":"web"}': { ".": {}, "f:image": {} } } } }
const managedFields = [entry, { ...entry, manager: "kubelet", subresource: "status" }]

const cutter = new ManagedFieldsSkipper()

/** From a text and from its bytes: both are the same. */
function read(text: string, holder = (value: unknown): unknown => value): unknown {
  const found = parseWithoutManagedFields(text, holder)
  expect(cutter.parse(Buffer.from(text), holder)).toEqual(found)
  return found
}

describe("cut out of the text", () => {
  test("at the end of the metadata, as Go writes them", () => {
    expect(read(JSON.stringify({ metadata: { name: "a", managedFields }, spec: {} }))).toEqual({ metadata: { name: "a" }, spec: {} })
  })

  test("in the middle, as custom resources have them", () => {
    const object = { apiVersion: "a/v1", kind: "W", metadata: { annotations: { note: '{"[' }, managedFields, name: "a" }, spec: [] }
    const { managedFields: _, ...metadata } = object.metadata
    expect(read(JSON.stringify(object))).toEqual({ ...object, metadata })
  })

  test("in the object of a watch event", () => {
    const object = { kind: "Pod", apiVersion: "v1", metadata: { name: "a", managedFields }, status: {} }
    const event = { type: "ADDED", object: { ...object, metadata: { name: "a" } } }
    const found = read(JSON.stringify({ type: "ADDED", object }), (value) => (value as typeof event).object)
    expect(found).toEqual(event)
  })
})

describe("left as they are", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["there are none", { metadata: { name: "a" } }],
    ["they are empty", { metadata: { name: "a", managedFields: [] } }],
    ["a field of the spec has that name", { metadata: { name: "a" }, spec: { x: 1, managedFields } }],
    ["those of a template", { metadata: { name: "a" }, spec: { template: { metadata: { name: "b", managedFields } } } }],
    ["those of metadata in a list", { metadata: { name: "a", parts: [{ metadata: { name: "b", managedFields } }] } }],
    ["a string looks like them", { metadata: { name: "a", annotations: { note: JSON.stringify({ metadata: { a: 1, managedFields } }) } } }],
    ["a name ends so", { metadata: { 'x,"managedFields': managedFields, name: "a" } }],
    ["they are a number", { metadata: { name: "a", managedFields: 0 } }],
  ]
  test.each(rows)("%s", (_, object) => expect(read(JSON.stringify(object))).toEqual(object))
})

describe("read whole where their end is not where it seems", () => {
  const rows: readonly (readonly [string, unknown])[] = [
    ["a bracket in a string", [{ fieldsV1: { "f:a]b": {}, "f:c": {} } }]],
    ["brackets in a string that look like the end", [{ fieldsV1: { "f:}]},": {}, "f:}]": {} } }]],
    ["a list inside", [{ fieldsV1: { a: [{ b: 1 }] } }, {}]],
  ]
  test.each(rows)("%s", (_, odd) => {
    const object = { metadata: { name: "a", managedFields: odd }, spec: { parts: [{}], managedFields: odd } }
    expect(read(JSON.stringify(object))).toEqual(object)
  })
})

test("what is not JSON is undefined", () => {
  const text = JSON.stringify({ metadata: { name: "a", managedFields } })
  for (const broken of ["", "{", text.slice(0, -1), text.slice(0, -30), `${text}}`]) expect(read(broken)).toBeUndefined()
})

test("model: an object is read with or without its managedFields, and otherwise as it is", () => {
  const fields = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 }), {
    minLength: 1,
    maxLength: 2,
  })
  const metadata = fc.record({
    annotations: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
    managedFields: fields,
    name: fc.string(),
  })
  const rest = fc.dictionary(fc.string(), fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.record({ metadata, managedFields: fields })), {
    maxKeys: 3,
  })
  fc.assert(
    fc.property(metadata, rest, (own, other) => {
      const object = parseJson(stringifyJson({ metadata: own, ...other, kind: "W" })) as { metadata: { managedFields: unknown } }
      const found = read(stringifyJson(object)) as { metadata: { managedFields?: unknown } }
      const { managedFields: _, ...without } = object.metadata
      expect(found).toEqual(found.metadata?.managedFields === undefined ? { ...object, metadata: without } : object)
    }),
    { numRuns: 300 },
  )
})
