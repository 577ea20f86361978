import { describe, expect, test } from "vitest"
import { excludePaths, includePatterns } from "./field-filter.ts"
import { type FieldPath, pathsOf, setOfPaths } from "./field-path.ts"
import {
  asMember,
  belowNode,
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  intersection,
  isEmptySet,
  isMember,
  recursiveDifference,
  union,
} from "./field-set.ts"

/** A set of paths of fields: ".a.b" is f:a, f:b. */
function set(...paths: readonly string[]): FieldSet {
  return setOfPaths(paths.map(path))
}

function path(text: string): FieldPath {
  return text
    .split(".")
    .slice(1)
    .map((name) => `f:${name}`)
}

describe("the wire form", () => {
  test.each([
    ["no path", [], {}],
    ["a path that is a parent too", [".a", ".a.b"], { "f:a": { ".": {}, "f:b": {} } }],
    ["a parent alone", [".a"], { "f:a": {} }],
    ["a child alone", [".a.b"], { "f:a": { "f:b": {} } }],
    ["paths in any order", [".b", ".a.c", ".a.b", ".a.b"], { "f:a": { "f:b": {}, "f:c": {} }, "f:b": {} }],
  ])("%s", (_title, paths, expected) => {
    expect(JSON.stringify(set(...paths))).toBe(JSON.stringify(expected))
  })

  test("the root is no member", () => {
    expect(setOfPaths([[]])).toBe(emptySet)
  })
})

test("members come before what is below them", () => {
  const paths = [".a.b", ".a.b.c", ".b", ".a.d"]
  expect(pathsOf(set(...paths))).toEqual([".b", ".a.b", ".a.d", ".a.b.c"].map(path))
})

describe("union", () => {
  test.each([
    ["of members", [".a"], [".b"], [".a", ".b"]],
    ["of a parent and its child", [".a"], [".a.b"], [".a", ".a.b"]],
    ["of a child and its parent", [".a.b"], [".a"], [".a", ".a.b"]],
    ["of two below one", [".a.b"], [".a.a", ".a.c"], [".a.a", ".a.b", ".a.c"]],
  ])("%s", (_title, a, b, expected) => {
    expect(JSON.stringify(union(set(...a), set(...b)))).toBe(JSON.stringify(set(...expected)))
  })
})

describe("intersection", () => {
  test.each([
    ["of members", [".a", ".b"], [".b", ".c"], [".b"]],
    ["of a parent and its child is nothing", [".a"], [".a.b"], []],
    ["of parents with other children", [".a", ".a.b"], [".a", ".a.c"], [".a"]],
    ["of what is below, without its parent", [".a", ".a.b"], [".a.b"], [".a.b"]],
  ])("%s", (_title, a, b, expected) => {
    expect(intersection(set(...a), set(...b))).toEqual(set(...expected))
  })
})

describe("difference", () => {
  test.each([
    ["of members", [".a", ".b"], [".b"], [".a"]],
    ["to remove a parent leaves its child", [".a", ".a.b"], [".a"], [".a.b"]],
    ["to remove a child leaves its parent", [".a", ".a.b"], [".a.b"], [".a"]],
    ["to remove what is not there changes nothing", [".a.b"], [".a", ".a.c", ".d"], [".a.b"]],
    ["to remove all leaves nothing", [".a", ".a.b"], [".a", ".a.b"], []],
  ])("%s", (_title, a, b, expected) => {
    expect(difference(set(...a), set(...b))).toEqual(set(...expected))
  })
})

describe("recursive difference", () => {
  test.each([
    ["to remove a parent removes what is below", [".a", ".a.b.c", ".d"], [".a"], [".d"]],
    ["to remove a parent that is no member itself removes what is below", [".a.b.c", ".a.d"], [".a.b"], [".a.d"]],
    ["to remove a child leaves its parent", [".a", ".a.b"], [".a.b"], [".a"]],
    ["a node of the other that is no member removes nothing itself", [".a", ".a.b"], [".a.c"], [".a", ".a.b"]],
  ])("%s", (_title, a, b, expected) => {
    expect(recursiveDifference(set(...a), set(...b))).toEqual(set(...expected))
    expect(excludePaths(set(...b))(set(...a))).toEqual(set(...expected))
  })
})

test("results that are equal to an argument are that argument", () => {
  const all = set(".a", ".a.b", ".c.d")
  expect(union(all, set(".a.b"))).toBe(all)
  expect(union(all, structuredClone(all))).toBe(all)
  expect(intersection(all, set(".a", ".a.b", ".c.d", ".e"))).toBe(all)
  expect(difference(all, set(".c", ".a.x"))).toBe(all)
  expect(recursiveDifference(all, set(".x"))).toBe(all)
})

test("parts that do not change are shared", () => {
  const all = set(".a.b", ".c.d")
  expect(union(all, set(".c.e"))["f:a"]).toBe(all["f:a"])
  expect(difference(all, set(".c.d"))["f:a"]).toBe(all["f:a"])
})

test("equal sets have the same members", () => {
  expect(equalSets(set(".a", ".a.b"), set(".a.b", ".a"))).toBe(true)
  expect(equalSets(set(".a"), set(".a", ".a.b"))).toBe(false)
  expect(equalSets(set(".a.b"), set(".a", ".a.b"))).toBe(false)
  expect([isEmptySet(emptySet), isEmptySet(set()), isEmptySet(set(".a"))]).toEqual([true, true, false])
})

test("a node becomes a member and loses it again", () => {
  const node = set(".b")
  expect([isMember(node), isMember(asMember(node)), isMember(emptySet)]).toEqual([false, true, true])
  expect(belowNode(asMember(node))).toEqual(node)
  expect(asMember(asMember(node))).toEqual({ ".": {}, "f:b": {} })
})

describe("a filter lets through", () => {
  const pod = setOfPaths([
    ["f:metadata", "f:labels"],
    ["f:spec"],
    ["f:spec", "f:containers"],
    ["f:spec", "f:containers", 'k:{"name":"a"}'],
    ["f:spec", "f:containers", 'k:{"name":"a"}', "f:image"],
    ["f:spec", "f:containers", 'k:{"name":"a"}', "f:resources", "f:limits"],
    ["f:spec", "f:initContainers", 'k:{"name":"b"}', "f:resizePolicy"],
  ])
  const a = 'k:{"name":"a"}'
  test.each([
    ["everything without a pattern", [], pod],
    ["nothing that no pattern leads to", [["status"]], {}],
    ["what a pattern leads to, with all below", [["metadata"]], { "f:metadata": { "f:labels": {} } }],
    [
      "any item",
      [["spec", "containers", "*", "resources"]],
      { "f:spec": { ".": {}, "f:containers": { ".": {}, [a]: { ".": {}, "f:resources": { "f:limits": {} } } } } },
    ],
    [
      "what one of several patterns leads to",
      [
        ["spec", "containers", "*", "resources"],
        ["spec", "initContainers", "*", "resizePolicy"],
        ["spec", "initContainers", "*", "resources"],
      ],
      {
        "f:spec": {
          ".": {},
          "f:containers": { ".": {}, [a]: { ".": {}, "f:resources": { "f:limits": {} } } },
          "f:initContainers": { 'k:{"name":"b"}': { "f:resizePolicy": {} } },
        },
      },
    ],
    ["a pattern that is the beginning of another", [["spec"], ["spec", "containers"]], { "f:spec": pod["f:spec"] }],
  ])("%s", (_title, patterns, expected) => {
    expect(includePatterns(patterns)(pod)).toEqual(expected)
  })
})
