import type { KubeObject } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { allowedByLastApplied, conflictsOutside, rewriteLastApplied } from "./last-applied.ts"
import { keyedBy, mapOf, number, object, text } from "./testing/schemas.ts"

const annotation = "kubectl.kubernetes.io/last-applied-configuration"
const schema = object({
  apiVersion: text,
  metadata: object({ name: text, annotations: mapOf(text) }),
  replicas: number,
  berths: keyedBy(["name"], object({ name: text, depth: number })),
})

type Config = Readonly<Record<string, unknown>>

const config = (fields: object): Config => ({ apiVersion: "v1", metadata: { name: "a" }, ...fields })
const live = (fields: object, lastApplied: string | undefined): KubeObject =>
  ({
    apiVersion: "v1",
    metadata: { name: "a", ...(lastApplied !== undefined && { annotations: { [annotation]: lastApplied } }) },
    ...fields,
  }) as KubeObject

describe("kubectl may take over", () => {
  const berths = [{ name: "x", depth: 1 }]
  const of = (stored: object, applied: object) => allowedByLastApplied(live(stored, JSON.stringify(config(applied))), schema, "v1")

  test("what it applied and is still so", () => {
    expect(of({ replicas: 1, berths }, { replicas: 1, berths })).toMatchObject({
      "f:replicas": {},
      "f:berths": { 'k:{"name":"x"}': { "f:depth": {} } },
    })
  })

  test.each<[title: string, stored: object]>([
    ["that another client changed", { replicas: 2, berths }],
    ["that another client removed", { berths }],
  ])("no field %s", (_title, stored) => {
    const allowed = of(stored, { replicas: 1, berths })
    expect(allowed).not.toHaveProperty("f:replicas")
    expect(allowed).toHaveProperty("f:berths")
  })

  test("no field that it did not apply", () => {
    expect(of({ replicas: 1, berths }, { berths })).not.toHaveProperty("f:replicas")
  })

  test.each<[title: string, text: string | undefined]>([
    ["is not there", undefined],
    ["is empty", ""],
    ["is no JSON", "{"],
    ["is a list", "[]"],
    ["is of another version", JSON.stringify({ ...config({ replicas: 1 }), apiVersion: "v2" })],
    ["does not fit the schema", JSON.stringify(config({ replicas: "many" }))],
    ["has items of one key", JSON.stringify(config({ berths: [...berths, ...berths] }))],
  ])("nothing where the annotation %s", (_title, text) => {
    expect(allowedByLastApplied(live({ replicas: 1 }, text), schema, "v1")).toBeUndefined()
  })

  test("so that only other conflicts are left", () => {
    const conflicts = [
      { manager: "m", path: ["f:replicas"] },
      { manager: "m", path: ["f:berths", 'k:{"name":"x"}', "f:depth"] },
    ]
    expect(conflictsOutside(conflicts, { "f:replicas": {} })).toEqual(conflicts.slice(1))
  })
})

describe("the annotation", () => {
  const written = (applied: Config, annotations: Readonly<Record<string, string>> = { [annotation]: "{}" }) =>
    rewriteLastApplied({ metadata: { name: "a", annotations } }, applied) as KubeObject | undefined

  test("says what was applied, with sorted keys, escaped markup and a line end", () => {
    const applied = { metadata: { name: "a" }, kind: "<&>", apiVersion: "v1" }
    expect(written(applied)?.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"v1","kind":"\\u003c\\u0026\\u003e","metadata":{"name":"a"}}\n',
    )
  })

  test("has keys that are numbers in the order of their bytes, and none for what is left out", () => {
    const applied = config({ data: { "9": "a", "10": "b", gone: undefined } })
    expect(written(applied)?.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"v1","data":{"10":"b","9":"a"},"metadata":{"name":"a"}}\n',
    )
  })

  test.each([
    ["null", null, '"metadata":{}'],
    ["empty", {}, '"metadata":{"annotations":{}}'],
  ])("has annotations that are %s as upstream", (_title, annotations, expected) => {
    expect(written(config({ metadata: { annotations } }))?.metadata.annotations?.[annotation]).toBe(`{"apiVersion":"v1",${expected}}\n`)
  })

  test("does not say what it said before, and keeps the other annotations that were applied", () => {
    const applied = config({ metadata: { annotations: { [annotation]: "old", a: "b" } } })
    expect(written(applied)?.metadata.annotations?.[annotation]).toBe('{"apiVersion":"v1","metadata":{"annotations":{"a":"b"}}}\n')
  })

  test.each([
    ["by itself", config({ replicas: "x".repeat(256 * 1024) }), {}],
    ["with the others", config({ replicas: "x".repeat(200 * 1024) }), { other: "x".repeat(100 * 1024) }],
  ])("goes where it would be too large %s", (_title, applied, others) => {
    expect(written(applied, { [annotation]: "{}", ...others })?.metadata.annotations).toEqual(others)
  })

  test.each([
    ["none", {}],
    ["an empty one", { [annotation]: "" }],
  ])("is not written to an object that has %s", (_title, annotations) => {
    expect(written(config({}), annotations)).toBeUndefined()
  })
})
