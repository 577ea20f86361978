import fc from "fast-check"
import { expect, test } from "vitest"
import { joinKey, keyOf, refOf, splitKey } from "./object-key.ts"

test.each([
  [{ namespace: "default", name: "web" }, "default/web", { namespace: "default", name: "web" }],
  [{ name: "node-1" }, "node-1", { name: "node-1" }],
  [{ namespace: "", name: "node-1" }, "node-1", { name: "node-1" }],
])("%j has the key %s", (metadata, key, ref) => {
  expect([keyOf({ metadata }), refOf({ metadata }), splitKey(key), joinKey(ref)]).toEqual([key, ref, ref, key])
})

test.each([
  ["", { name: "" }],
  ["/a", { name: "a" }],
  ["a/", { namespace: "a", name: "" }],
])("%j is split into %j", (key, ref) => {
  expect(splitKey(key)).toEqual(ref)
})

test.each(["a/b/c", "//", "a/b/"])("%j is no key", (key) => {
  expect(() => splitKey(key)).toThrow(expect.objectContaining({ code: "INVALID", message: `unexpected key format: "${key}"` }))
})

test("a key splits into what it was made of", () => {
  const part = fc.stringMatching(/^[a-z0-9-]{1,10}$/)
  fc.assert(
    fc.property(fc.record({ name: part, namespace: part }, { requiredKeys: ["name"] }), (ref) => {
      expect(splitKey(joinKey(ref))).toEqual(ref)
    }),
  )
})
