import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { stringify } from "yaml"
import { EncodedObjects } from "./encoded-objects.ts"
import { prettyBody, yamlBody } from "./write-response.ts"

const clock = new VirtualClock()

/** Counts how often it is encoded. */
function counted(): { readonly object: object; readonly times: () => number } {
  let times = 0
  const object = Object.freeze({
    kind: "Pod",
    toJSON() {
      times++
      return { kind: "Pod", metadata: { name: "ä\u2028" } }
    },
  })
  return { object, times: () => times }
}

describe("a frozen object is encoded once", () => {
  test("for gets, lists and watchers together", async () => {
    const encoded = new EncodedObjects(clock)
    const { object, times } = counted()
    const text = JSON.stringify({ kind: "Pod", metadata: { name: "ä\u2028" } })
    expect(encoded.line({ type: "ADDED", object }).toString()).toBe(`{"type":"ADDED","object":${text}}\n`)
    expect((await encoded.body(object)).toString()).toBe(text)
    expect((await encoded.body({ kind: "PodList", items: [object, object] })).toString()).toBe(
      `{"kind":"PodList","items":[${text},${text}]}`,
    )
    expect(times()).toBe(1)
  })

  test("but an answer that only one client has had is not kept, and that of the second is", async () => {
    const encoded = new EncodedObjects(clock)
    const { object, times } = counted()
    const counts = Array.from({ length: 4 }, () => {
      void encoded.body(object)
      return times()
    })
    expect(counts).toEqual([1, 2, 2, 2])
  })

  test("and again when no client has read it for two minutes in which others were read", async () => {
    const time = new VirtualClock()
    const encoded = new EncodedObjects(time)
    const [{ object, times }, other] = [counted(), Object.freeze({ kind: "Other" })]
    const ask = (asked: object) => encoded.line({ type: "ADDED", object: asked })
    ask(object)
    for (let minute = 0; minute < 5; minute++) {
      await time.advance("61s")
      ask(Object.freeze({ kind: "Other" }))
      ask(object)
    }
    expect(times()).toBe(1)
    for (let minute = 0; minute < 2; minute++) {
      await time.advance("61s")
      ask(other)
      ask(Object.freeze({ kind: "Other" }))
    }
    ask(object)
    expect(times()).toBe(2)
  })

  test("but one that may still change every time", async () => {
    const encoded = new EncodedObjects(clock)
    const object = { a: 1 }
    await encoded.body(object)
    object.a = 2
    expect((await encoded.body(object)).toString()).toBe('{"a":2}')
  })
})

describe("lists", () => {
  test.each([
    ["in front", { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }],
    ["the other way round", { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }],
    ["at the end", { metadata: { name: "a" }, apiVersion: "v1", kind: "Pod" }],
  ])("of one kind say it once, wherever an item has it: %s", async (_, item) => {
    const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items: [Object.freeze(item), item] }
    const expected = '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]}'
    expect((await new EncodedObjects(clock).body(list)).toString()).toBe(expected)
    expect((await new EncodedObjects(clock).body(Object.freeze(list))).toString()).toBe(expected)
  })

  test("of metadata keep the kind of each item", async () => {
    const item = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } }
    const list = { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: {}, items: [item] }
    expect(JSON.parse((await new EncodedObjects(clock).body(list)).toString())).toEqual(list)
  })

  test.each([
    ["empty", { kind: "PodList", items: [] }],
    ["without anything else", { items: [1, "a", null] }],
    ["frozen as a whole", Object.freeze({ kind: "PodList", items: Object.freeze([{ a: 1 }]) })],
  ])("%s", async (_, value) => {
    expect(JSON.parse((await new EncodedObjects(clock).body(value)).toString())).toEqual(value)
  })
})

describe("a list in another form", () => {
  test("is the same item by item as in one piece", async () => {
    const objects = [
      { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a" }, data: { text: "one\n\n two \n", on: "on", long: "x ".repeat(60) } },
      {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: { name: "b", finalizers: [] },
        data: { tab: "a\tb\nc\u0001".repeat(20), empty: "" },
      },
      { kind: "ConfigMap", apiVersion: "v1", metadata: {} },
    ]
    for (const items of [objects, []]) {
      const list = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items }
      const encoded = new EncodedObjects(clock)
      const { rest, items: written } = encoded.value(list)
      const yaml = (value: unknown) => stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 })
      const plain = { ...rest, items: items.map(({ kind: _kind, apiVersion: _version, ...item }) => item) }
      expect(await written?.((item) => JSON.stringify(item))).toEqual(plain.items.map((item) => JSON.stringify(item)))
      expect(String(await yamlBody(await encoded.body(list)))).toBe(yaml(plain))
      expect(String(await prettyBody(encoded.value(list)))).toBe(JSON.stringify(plain, undefined, 2))
    }
  })
})
