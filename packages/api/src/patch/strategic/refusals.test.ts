import { describe, expect, test } from "vitest"
import { apply, named, type Value } from "../testing/strategic.ts"
import { PatchError } from "../values/patch-error.ts"

function failure(value: unknown, patch: unknown): PatchError {
  try {
    apply(value, patch)
  } catch (thrown) {
    if (thrown instanceof PatchError) return thrown
    throw thrown
  }
  throw new Error("the patch was applied")
}

describe("refuses", () => {
  const containers = [{ name: "a", ports: [{ containerPort: 1 }] }]
  test.each<[string, Value, Value, number, string]>([
    [
      "an unknown field with objects on both sides",
      { invented: {} },
      { invented: { a: 1 } },
      500,
      'unable to find api field in struct PodSpec for the json field "invented"',
    ],
    [
      "opaque JSON on both sides",
      { opaque: { a: {} } },
      { opaque: { a: { b: 1 } } },
      500,
      'unable to find api field in struct RawExtension for the json field "a"',
    ],
    [
      "lists in a map on both sides",
      { extra: { a: ["x"] } },
      { extra: { a: ["y"] } },
      500,
      "merging an object in json but data type is not struct, instead is: map",
    ],
    [
      "$patch: merge in an object",
      { rollout: {} },
      { rollout: { $patch: "merge", type: "b" } },
      500,
      "unknown patch type: merge in map: map[$patch:merge type:b]",
    ],
    ["an unknown directive", { rollout: {} }, { rollout: { $patch: 3 } }, 500, "unknown patch type: %!s(int64=3) in map: map[$patch:3]"],
    [
      "$patch: merge in a list",
      { containers },
      { containers: [{ name: "a", $patch: "merge" }] },
      500,
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "an unknown directive in a list",
      { containers },
      { containers: [{ name: "a", $patch: "drop" }] },
      500,
      "unknown patch type: drop in map: map[$patch:drop name:a]",
    ],
    [
      "a deletion without merge key",
      { containers },
      { containers: [{ $patch: "delete", image: "x" }] },
      500,
      "map: map[$patch:delete image:x] does not contain declared merge key: name",
    ],
    [
      "an element without merge key",
      { containers },
      { containers: [{ image: "x", ports: [{ containerPort: 80 }] }] },
      500,
      "map: map[image:x ports:[map[containerPort:80]]] does not contain declared merge key: name",
    ],
    [
      "strings among objects",
      { containers },
      { containers: ["a"] },
      500,
      "list element types are not identical: [[map[name:a ports:[map[containerPort:1]]]] [a]]",
    ],
    ["lists in lists", { containers: [] }, { containers: [["a"]] }, 422, "lists of lists are not supported"],
    [
      "strings in an empty list of objects",
      { containers: [] },
      { containers: ["a"] },
      500,
      "expected a map[string]interface {}, but received a string",
    ],
    ["nulls as elements", { containers: [] }, { containers: [null] }, 500, "list element types are not identical: [[] [<nil>]]"],
    [
      "an order that is no list",
      { containers },
      { "$setElementOrder/containers": "a" },
      500,
      "expected a []interface {}, but received a string",
    ],
    [
      "an order beside a null",
      { containers },
      { "$setElementOrder/containers": [], containers: null },
      500,
      "expected a []interface {}, but received a %!s(<nil>)",
    ],
    ["an order without field", { containers }, { $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
    [
      "an order of an unknown list",
      {},
      { "$setElementOrder/invented": [] },
      500,
      'unable to find api field in struct PodSpec for the json field "invented"',
    ],
    ["an order of what is no list", {}, { "$setElementOrder/rollout": [] }, 500, "expected slice or array type, but got: struct"],
    [
      "an order that the patch does not follow",
      { containers },
      { containers: named("x y"), "$setElementOrder/containers": named("y x") },
      500,
      "The order in patch list:\n[map[name:x] map[name:y]]\n doesn't match $setElementOrder list:\n[map[name:y] map[name:x]]\n",
    ],
    [
      "an order of a list that has none",
      { tolerations: [{ key: "a" }] },
      { "$setElementOrder/tolerations": [{ key: "a" }] },
      422,
      "a list of objects without merge key has no order to set: map[key:a]",
    ],
    [
      "an order of nothing",
      { containers: [] },
      { "$setElementOrder/containers": named("a") },
      500,
      "no elements in any of the given slices",
    ],
    ["retained keys that are no list", { rollout: {} }, { rollout: { $retainKeys: "type" } }, 400, "invalid patch format of retainKeys"],
    [
      "a key that is not retained",
      { rollout: {} },
      { rollout: { $retainKeys: ["type"], partition: 1 } },
      400,
      "invalid patch format of retainKeys",
    ],
    ["a deletion list without field", {}, { $deleteFromPrimitiveList: ["a"] }, 400, "invalid patch format of primitive list"],
  ])("%s", (_name, spec, patch, status, message) => {
    const error = failure({ spec }, { spec: patch })
    expect(error.message).toBe(message)
    expect(error.status).toBe(status)
    expect(error.code).toBe("INVALID")
  })

  test("patches and values that are no objects", () => {
    expect(failure({}, []).message).toBe("json: cannot unmarshal array into Go value of type map[string]interface {}")
    expect(failure({}, []).status).toBe(400)
    expect(failure("text", {}).message).toBe("json: cannot unmarshal string into Go value of type map[string]interface {}")
  })

  test("the prototype as a key", () => {
    expect(() => apply({ spec: {} }, JSON.parse('{"spec":{"__proto__":{"polluted":1}}}'))).toThrow('"__proto__"')
    expect(({} as Value).polluted).toBeUndefined()
  })
})
