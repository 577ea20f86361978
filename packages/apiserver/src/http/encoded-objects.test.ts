import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { EncodedObjects } from "./encoded-objects.ts"

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
  test("for gets, lists and watchers together", () => {
    const encoded = new EncodedObjects(clock)
    const { object, times } = counted()
    const text = JSON.stringify({ kind: "Pod", metadata: { name: "ä\u2028" } })
    expect(encoded.line({ type: "ADDED", object }).toString()).toBe(`{"type":"ADDED","object":${text}}\n`)
    expect(encoded.body(object).toString()).toBe(text)
    expect(encoded.body({ kind: "PodList", items: [object, object] }).toString()).toBe(`{"kind":"PodList","items":[${text},${text}]}`)
    expect(times()).toBe(1)
  })

  test("but an answer that only one client has had is not kept, and that of the second is", () => {
    const encoded = new EncodedObjects(clock)
    const { object, times } = counted()
    const counts = Array.from({ length: 4 }, () => {
      encoded.body(object)
      return times()
    })
    expect(counts).toEqual([1, 2, 2, 2])
  })

  test("and again when nobody has asked for it for two minutes in which others were", async () => {
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

  test("but one that may still change every time", () => {
    const encoded = new EncodedObjects(clock)
    const object = { a: 1 }
    encoded.body(object)
    object.a = 2
    expect(encoded.body(object).toString()).toBe('{"a":2}')
  })
})

describe("lists", () => {
  test.each([
    ["in front", { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }],
    ["the other way round", { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }],
    ["at the end", { metadata: { name: "a" }, apiVersion: "v1", kind: "Pod" }],
  ])("of one kind say it once, wherever an item has it: %s", (_, item) => {
    const list = { kind: "PodList", apiVersion: "v1", metadata: {}, items: [Object.freeze(item), item] }
    const expected = '{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]}'
    expect(new EncodedObjects(clock).body(list).toString()).toBe(expected)
    expect(new EncodedObjects(clock).body(Object.freeze(list)).toString()).toBe(expected)
  })

  test("of metadata keep the kind of each item", () => {
    const item = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "a" } }
    const list = { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata: {}, items: [item] }
    expect(JSON.parse(new EncodedObjects(clock).body(list).toString())).toEqual(list)
  })

  test.each([
    ["empty", { kind: "PodList", items: [] }],
    ["without anything else", { items: [1, "a", null] }],
    ["frozen as a whole", Object.freeze({ kind: "PodList", items: Object.freeze([{ a: 1 }]) })],
  ])("%s", (_, value) => {
    expect(JSON.parse(new EncodedObjects(clock).body(value).toString())).toEqual(value)
  })
})
