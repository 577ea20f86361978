import { PilothouseError } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { deepFreeze } from "../meta/freeze.ts"
import { applyJsonPatch, type JsonPatchOptions, maxJsonPatchOperations } from "./json-patch.ts"
import { maxCopiedBytes, PatchedDocument } from "./patched-document.ts"
import { PatchError } from "./values/patch-error.ts"

const strict: JsonPatchOptions = { strict: true }

function apply(value: unknown, patch: unknown, options?: JsonPatchOptions): unknown {
  return applyJsonPatch(deepFreeze(value), deepFreeze(patch), options)
}

function failure(value: unknown, patch: unknown, options?: JsonPatchOptions): PatchError {
  try {
    apply(value, patch, options)
  } catch (thrown) {
    if (thrown instanceof PatchError) return thrown
    throw thrown
  }
  throw new Error("the patch was applied")
}

describe("RFC 6902", () => {
  test.each<[string, unknown, unknown[], unknown]>([
    ["A.1 adds an object member", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { foo: "bar", baz: "qux" }],
    ["A.2 adds a list element", { foo: ["bar", "baz"] }, [{ op: "add", path: "/foo/1", value: "qux" }], { foo: ["bar", "qux", "baz"] }],
    ["A.3 removes an object member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
    ["A.4 removes a list element", { foo: [1, 2, 3] }, [{ op: "remove", path: "/foo/1" }], { foo: [1, 3] }],
    ["A.5 replaces a value", { baz: "qux", foo: 1 }, [{ op: "replace", path: "/baz", value: "boo" }], { baz: "boo", foo: 1 }],
    ["A.6 moves a value", { a: { x: 1, y: 2 }, b: {} }, [{ op: "move", from: "/a/x", path: "/b/z" }], { a: { y: 2 }, b: { z: 1 } }],
    ["A.7 moves a list element", { foo: [1, 2, 3, 4] }, [{ op: "move", from: "/foo/1", path: "/foo/3" }], { foo: [1, 3, 4, 2] }],
    [
      "A.8 tests values",
      { a: "q", b: [1, 2] },
      [
        { op: "test", path: "/a", value: "q" },
        { op: "test", path: "/b/1", value: 2 },
      ],
      { a: "q", b: [1, 2] },
    ],
    ["A.10 adds a nested object", { a: 1 }, [{ op: "add", path: "/child", value: { grand: {} } }], { a: 1, child: { grand: {} } }],
    ["A.11 ignores unknown members", { a: 1 }, [{ op: "add", path: "/b", value: 2, xyz: 3 }], { a: 1, b: 2 }],
    ["A.14 orders ~ escapes", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
    ["A.16 appends", { a: [1] }, [{ op: "add", path: "/a/-", value: [2, 3] }], { a: [1, [2, 3]] }],
    ["adds at the end by index", [1, 2], [{ op: "add", path: "/2", value: 3 }], [1, 2, 3]],
    ["adds over an existing member", { a: null }, [{ op: "add", path: "/a", value: 1 }], { a: 1 }],
    ["replaces the whole document", { a: 1 }, [{ op: "replace", path: "", value: [1] }], [1]],
    [
      "takes null as a value",
      { a: 1 },
      [
        { op: "replace", path: "/a", value: null },
        { op: "test", path: "/a", value: null },
      ],
      { a: null },
    ],
    ["copies", { a: { b: [1] } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: [1] }, c: { b: [1] } }],
    ["copies into the copied object", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/a/c" }], { a: { b: 1, c: { b: 1 } } }],
    ["moves a value onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    ["tells list indexes from object keys", { "0": "x" }, [{ op: "replace", path: "/0", value: "y" }], { "0": "y" }],
    ["has a member with an empty name", { "": 1 }, [{ op: "remove", path: "/" }], {}],
    [
      "tests without regard to key order",
      { a: { x: 1, y: [{}] } },
      [{ op: "test", path: "/a", value: { y: [{}], x: 1 } }],
      { a: { x: 1, y: [{}] } },
    ],
  ])("%s", (_name, value, patch, expected) => {
    expect(apply(value, patch, strict)).toEqual(expected)
    expect(apply(value, patch)).toEqual(expected)
  })

  test.each<[string, unknown, unknown, string]>([
    ["A.9 a test that does not hold", { a: "b" }, { op: "test", path: "/a", value: "c" }, "test failed"],
    ["A.12 adding below nothing", { foo: "bar" }, { op: "add", path: "/baz/bat", value: 1 }, "doc is missing path"],
    ["A.15 a number is no string", { a: 10 }, { op: "test", path: "/a", value: "10" }, "test failed"],
    ["an index past the end", { a: [1] }, { op: "add", path: "/a/2", value: 1 }, "Unable to access invalid index: 2"],
    ["replacing past the end", { a: [1] }, { op: "replace", path: "/a/1", value: 1 }, "Unable to access invalid index: 1"],
    ["an index that is no number", { a: [1, 2] }, { op: "test", path: "/a/1e0", value: 2 }, "value was not a proper array index: '1e0'"],
    ["a huge index", { a: [1] }, { op: "add", path: "/a/99999999999999999999", value: 2 }, "Unable to access invalid index"],
    ['"-" where something must be', { a: [1] }, { op: "remove", path: "/a/-" }, "value was not a proper array index: '-'"],
    ["removing what is not there", { a: 1 }, { op: "remove", path: "/b" }, "Unable to remove nonexistent key: b: missing value"],
    ["removing everything", { a: 1 }, { op: "remove", path: "" }, "the whole document cannot be removed"],
    ["moving what is not there", { a: 1 }, { op: "move", from: "/b", path: "/c" }, "nonexistent key: b"],
    ["moving into itself", { a: { b: {} } }, { op: "move", from: "/a", path: "/a/b/c" }, "cannot be moved into itself"],
    ["a path through a string", { a: "text" }, { op: "add", path: "/a/0", value: 1 }, "doc is missing path"],
    ["an inherited property", {}, { op: "add", path: "/constructor/x", value: 1 }, "doc is missing path"],
    ["the prototype as a place", {}, { op: "add", path: "/__proto__/polluted", value: 1 }, "doc is missing path"],
    ["the prototype as a key", {}, { op: "add", path: "/__proto__", value: { polluted: 1 } }, '"__proto__"'],
    ["an unknown operation", {}, { op: "merge", path: "/a" }, "Unexpected kind: merge"],
    ["no operation", {}, { path: "/a" }, 'no "op"'],
    ["no path", {}, { op: "add", value: 1 }, 'no "path"'],
    ["a path without its slash", { a: 1 }, { op: "remove", path: "a" }, 'must be empty or start with "/"'],
    ["no from", { a: 1 }, { op: "copy", path: "/a" }, 'no "from"'],
  ])("refuses %s", (_name, value, operation, words) => {
    for (const options of [strict, {}]) expect(failure(value, [operation], options).message).toContain(words)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe("types are checked before the first operation is applied", () => {
  test.each<[string, unknown, string, string]>([
    [
      "a path that is no string",
      { op: "add", path: 1, value: 1 },
      'no "path"',
      "number into Go struct field jsonPatchOp.path of type string",
    ],
    [
      "a from that is no string",
      { op: "copy", path: "/b", from: [] },
      'no "from"',
      "array into Go struct field jsonPatchOp.from of type string",
    ],
    ["an operation that is no object", "add", "an operation must be an object", "string into Go value of type handlers.jsonPatchOp"],
  ])("%s", (_name, operation, words, decoding) => {
    const patch = [{ op: "add", path: "/a/b/c", value: 1 }, operation]
    expect(failure({ a: { b: {} } }, patch, strict).message).toContain(words)
    expect(failure({}, patch).message).toBe(`error decoding patch: json: cannot unmarshal ${decoding}`)
  })

  test("null is a list without operations, and an operation without fields, in Go alone", () => {
    expect(apply({ a: 1 }, null)).toEqual({ a: 1 })
    expect(failure({}, null, strict).message).toContain("cannot unmarshal null")
    expect(failure({}, [null]).status).toBe(422)
    expect(failure({}, [null], strict).message).toContain("an operation must be an object")
  })
})

describe("what kube-apiserver lets through and the RFC does not", () => {
  test.each<[string, unknown, unknown, unknown]>([
    ["replacing a key that is not there adds it", { a: 1 }, { op: "replace", path: "/b", value: 2 }, { a: 1, b: 2 }],
    ["testing a key that is not there against null", { a: 1 }, { op: "test", path: "/b", value: null }, { a: 1 }],
    ["copying a key that is not there copies null", { a: 1 }, { op: "copy", from: "/b", path: "/c" }, { a: 1, c: null }],
    ["a missing value is null", { a: 1 }, { op: "add", path: "/b" }, { a: 1, b: null }],
    ["-1 is the last element", { a: [1, 2] }, { op: "remove", path: "/a/-1" }, { a: [1] }],
    ["-1 is the end when adding", { a: [1, 2] }, { op: "add", path: "/a/-1", value: 3 }, { a: [1, 2, 3] }],
    ["an index with a leading zero", { a: [1, 2] }, { op: "remove", path: "/a/01" }, { a: [1] }],
    ["an index with a plus", { a: [1, 2] }, { op: "replace", path: "/a/+1", value: 3 }, { a: [1, 3] }],
    ["a pointer without its slash loses its first part", { a: 1, b: 2 }, { op: "remove", path: "a/b" }, { a: 1 }],
    ["an unknown escape stands for itself", {}, { op: "add", path: "/~2", value: 1 }, { "~2": 1 }],
  ])("%s", (_name, value, operation, expected) => {
    expect(apply(value, [operation])).toEqual(expected)
    expect(failure(value, [operation], strict).status).toBe(422)
  })

  test.each<[string, unknown, unknown]>([
    ["adding the whole document", { op: "add", path: "", value: 7 }, 7],
    ["copying the whole document", { op: "copy", from: "", path: "/b" }, { a: 1, b: { a: 1 } }],
    ["replacing the whole document by a text", { op: "replace", path: "", value: "x" }, "x"],
  ])("%s is for the RFC only", (_name, operation, expected) => {
    expect(apply({ a: 1 }, [operation], strict)).toEqual(expected)
    expect(failure({ a: 1 }, [operation]).status).toBe(422)
  })

  test("-3 of two elements is out of range for both", () => {
    expect(failure({ a: [1, 2] }, [{ op: "remove", path: "/a/-3" }]).message).toContain("Unable to access invalid index: -3")
  })
})

describe("errors", () => {
  test("name the operation, its place and the rule, and change nothing", () => {
    const patch = [
      { op: "add", path: "/b", value: 1 },
      { op: "remove", path: "/c/0" },
    ]
    const error = failure({ a: 1 }, patch)
    expect(error).toBeInstanceOf(PilothouseError)
    expect(error.code).toBe("INVALID")
    expect(error.status).toBe(422)
    expect(error.message).toMatch(/^JSON patch operation 1 \(remove "\/c\/0"\): doc is missing path/)
  })

  test("a patch that is no list is malformed, in the server's words", () => {
    const error = failure({}, { op: "add" })
    expect(error.status).toBe(400)
    expect(error.message).toBe("error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp")
  })

  test("10,000 operations are allowed, one more is not", () => {
    const operations = Array.from({ length: maxJsonPatchOperations }, () => ({ op: "add", path: "/-", value: 0 }))
    expect(apply([], operations)).toHaveLength(10_000)
    const error = failure([], [...operations, operations[0]])
    expect(error.status).toBe(413)
    expect(error.message).toBe("The allowed maximum operations in a JSON patch is 10000, got 10001")
  })
})

describe("sharing", () => {
  test("only the way to the change is new", () => {
    const value = { spec: { a: { x: 1 }, list: [{ y: 1 }, { z: 1 }] }, status: {} }
    const result = apply(value, [{ op: "replace", path: "/spec/list/0/y", value: 2 }]) as typeof value
    expect(result).toEqual({ spec: { a: { x: 1 }, list: [{ y: 2 }, { z: 1 }] }, status: {} })
    expect(result.status).toBe(value.status)
    expect(result.spec.a).toBe(value.spec.a)
    expect(result.spec.list[1]).toBe(value.spec.list[1])
  })

  test("a patch that changes nothing returns its input", () => {
    const value = { a: { b: [1, { c: 2 }] } }
    const patch = [
      { op: "test", path: "/a/b/0", value: 1 },
      { op: "replace", path: "/a", value: { b: [1, { c: 2 }] } },
      { op: "add", path: "/a/b/1/c", value: 2 },
    ]
    expect(apply(value, patch)).toBe(value)
  })

  test("a copy and its origin change apart, also when both were made by the patch", () => {
    const patch = [
      { op: "add", path: "/a/n", value: 1 },
      { op: "copy", from: "/a", path: "/b" },
      { op: "replace", path: "/b/n", value: 2 },
      { op: "add", path: "/a/list/-", value: 3 },
    ]
    expect(apply({ a: { list: [] } }, patch)).toEqual({ a: { list: [3], n: 1 }, b: { list: [], n: 2 } })
  })

  test("a value used twice by the patch stays as the patch has it", () => {
    const value = { n: 1 }
    const patch = [
      { op: "add", path: "/a", value },
      { op: "add", path: "/b", value },
      { op: "replace", path: "/a/n", value: 2 },
    ]
    expect(apply({}, patch)).toEqual({ a: { n: 2 }, b: { n: 1 } })
    expect(value).toEqual({ n: 1 })
  })

  test.each<[string, JsonPatchOptions]>([
    ["as kube-apiserver has it", {}],
    ["strictly", strict],
  ])("copies of copies do not make a huge object of a small one, %s", (_, options) => {
    const patch = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "/a", path: `/a/x${index}` }))
    const { status, message } = failure({ a: { b: 1 } }, patch, options)
    expect(status).toBe(422)
    expect(message).toMatch(/Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/)
  })

  test("what is copied may be as large as a body, in bytes", () => {
    const copies = [
      { op: "copy", from: "/a", path: "/b" },
      { op: "copy", from: "/c", path: "/d" },
    ]
    const half = "ä".repeat((maxCopiedBytes / 2 - 2) / 2)
    expect(apply({ a: half, c: half }, copies)).toEqual({ a: half, b: half, c: half, d: half })
    expect(failure({ a: half, c: `${half}x` }, copies).message).toContain(`is ${maxCopiedBytes + 1}, exceeding`)
  })
})

test("a patch that shifts a long list again and again is refused", () => {
  const operations = Array.from({ length: 9998 }, () => ({ op: "add", path: "/list/0", value: "b" }))
  const list = Array.from({ length: 200_000 }, () => "a")
  expect(() => applyJsonPatch({ list }, operations)).toThrow(
    "the patch shifts more than 100000000 elements of lists; replace the list as a whole",
  )
})

test("a copy within an object that the patch has written to does not make the object be copied again", () => {
  const document = new PatchedDocument({ data: { a: "1", list: [{ n: 1 }] }, other: {} }, true)
  document.add(["data", "b"], "2")
  const { data } = document.root as { data: unknown }
  for (let count = 0; count < 3; count++) {
    document.copy(["data", "a"], ["data", "new"])
    document.remove(["data", "new"])
    document.copy(["data"], ["other", `copy-${count}`])
    document.add(["other", "seen"], count)
  }
  const { other } = document.root as { other: unknown }
  document.copy(["data", "a"], ["other", "a"])
  document.remove(["other", "a"])
  expect((document.root as { other: unknown }).other).toBe(other)
  expect(data).toEqual({ a: "1", b: "2", list: [{ n: 1 }] })
})

test("1,000 copies of a scalar leave the object that holds it in place", () => {
  const document = new PatchedDocument({ data: { a: "1" } }, true)
  document.add(["data", "b"], "2")
  const { data } = document.root as { data: unknown }
  for (let count = 0; count < 1000; count++) {
    document.copy(["data", "a"], ["data", "new"])
    document.remove(["data", "new"])
    expect((document.root as { data: unknown }).data).toBe(data)
  }
})
