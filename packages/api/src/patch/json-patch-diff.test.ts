import { expect, test } from "vitest"
import { deepFreeze } from "../meta/freeze.ts"
import { applyJsonPatch } from "./json-patch.ts"
import { diffJsonPatch } from "./json-patch-diff.ts"

test.each<[string, unknown, unknown, unknown[]]>([
  ["nothing", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
  ["one value deep down", { a: { b: [0, { c: 1 }] } }, { a: { b: [0, { c: 2 }] } }, [{ op: "replace", path: "/a/b/1/c", value: 2 }]],
  [
    "a member gone, one new",
    { a: 1 },
    { "x/y": 2 },
    [
      { op: "remove", path: "/a" },
      { op: "add", path: "/x~1y", value: 2 },
    ],
  ],
  ["an element in the middle", { a: [1, 3] }, { a: [1, 2, 3] }, [{ op: "add", path: "/a/1", value: 2 }]],
  [
    "elements gone from the front",
    [1, 2, 3, 4],
    [3, 4],
    [
      { op: "remove", path: "/1" },
      { op: "remove", path: "/0" },
    ],
  ],
  ["repeated elements", [1, 1, 1], [1, 1], [{ op: "remove", path: "/2" }]],
  ["another type", { a: {} }, { a: [] }, [{ op: "replace", path: "/a", value: [] }]],
  [
    "null is a value",
    { a: null },
    { a: 1, b: null },
    [
      { op: "replace", path: "/a", value: 1 },
      { op: "add", path: "/b", value: null },
    ],
  ],
  ["another document", 1, "1", [{ op: "replace", path: "", value: "1" }]],
])("the difference is %s", (_name, before, after, patch) => {
  expect(diffJsonPatch(deepFreeze(before), deepFreeze(after))).toEqual(patch)
  expect(applyJsonPatch(before, patch, { strict: true })).toEqual(after)
})
