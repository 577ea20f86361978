import { describe, expect, test } from "vitest"
import { deepFreeze } from "../meta/freeze.ts"
import { applyMergePatch } from "./merge-patch.ts"
import { diffMergePatch } from "./merge-patch-diff.ts"

function apply(value: unknown, patch: unknown): unknown {
  return applyMergePatch(deepFreeze(value), deepFreeze(patch))
}

describe("RFC 7386, appendix A", () => {
  test.each<[unknown, unknown, unknown]>([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ a: "foo" }, null, null],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("%j with %j is %j", (value, patch, expected) => {
    expect(apply(value, patch)).toEqual(expected)
  })
})

describe("what kube-apiserver adds", () => {
  test.each<[string, unknown, unknown, unknown]>([
    [
      "nulls go from objects in new lists, but not as elements",
      {},
      { a: [{ b: null, c: 1 }, null, [{ d: null }]] },
      { a: [{ c: 1 }, null, [{}]] },
    ],
    ["nulls go from objects in replaced lists", { a: [1] }, { a: [{ b: null }] }, { a: [{}] }],
    ["nulls stay in a list that replaces an object", { a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ["an object replaces a null", { a: null }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])("%s", (_name, value, patch, expected) => {
    expect(apply(value, patch)).toEqual(expected)
  })

  test("the prototype is no key", () => {
    expect(() => apply({}, JSON.parse('{"__proto__":{"polluted":1}}'))).toThrow('"__proto__"')
    expect(() => apply({ a: {} }, JSON.parse('{"a":{"__proto__":{"polluted":1}}}'))).toThrow('"__proto__"')
  })
})

describe("sharing", () => {
  test("only the way to the change is new", () => {
    const value = { a: { x: { deep: 1 }, y: 1 }, b: [1] }
    const result = apply(value, { a: { y: 2, z: null } }) as typeof value
    expect(result).toEqual({ a: { x: { deep: 1 }, y: 2 }, b: [1] })
    expect(result.b).toBe(value.b)
    expect(result.a.x).toBe(value.a.x)
  })

  test("a patch that changes nothing returns its input", () => {
    const value = { a: { x: 1 }, b: [1, { c: 2 }] }
    expect(apply(value, { a: { x: 1, gone: null }, b: [1, { c: 2 }] })).toBe(value)
  })
})

describe("the difference of two documents", () => {
  test.each<[string, unknown, unknown, unknown]>([
    ["nothing", { a: [1], b: { c: 1 } }, { b: { c: 1 }, a: [1] }, {}],
    ["a removed member is null", { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ["nested members are distinguished", { a: { x: 1, y: 2 } }, { a: { x: 1, y: 3, z: {} } }, { a: { y: 3, z: {} } }],
    ["a list is said whole", { a: [1, 2] }, { a: [1] }, { a: [1] }],
    ["another type is said whole", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ["what is no object is the new value", [1], 5, 5],
  ])("%s", (_name, before, after, patch) => {
    expect(diffMergePatch(deepFreeze(before), deepFreeze(after))).toEqual(patch)
    expect(apply(before, patch)).toEqual(after)
  })

  test("the prototype is no key here either", () => {
    const odd = JSON.parse('{"__proto__":{"polluted":1}}')
    expect(() => diffMergePatch({}, odd)).toThrow('"__proto__"')
    expect(() => diffMergePatch(odd, {})).toThrow('"__proto__"')
  })
})
