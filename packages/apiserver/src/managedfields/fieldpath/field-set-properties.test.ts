import fc from "fast-check"
import { expect, test } from "vitest"
import { type FieldPath, pathsOf, setOfPaths } from "./field-path.ts"
import { difference, equalSets, type FieldSet, intersection, recursiveDifference, union } from "./field-set.ts"
import { parseFieldSet } from "./parse-field-set.ts"

// The model: a set of paths is a set of the texts of paths.

const element = fc.constantFrom(
  "f:a",
  "f:b",
  "f:é",
  'k:{"n":1}',
  'k:{"n":10}',
  'k:{"n":9,"p":"x"}',
  'v:"x"',
  "v:2",
  "v:10",
  "i:3",
  "f:__proto__",
)
const path = fc.array(element, { minLength: 1, maxLength: 4 })
const paths = fc.array(path, { maxLength: 25 })

type Model = ReadonlySet<string>

function modelOf(list: readonly FieldPath[]): Model {
  return new Set(list.map((one) => JSON.stringify(one)))
}

function expectSame(set: FieldSet, model: Model): void {
  const members = pathsOf(set)
  expect(new Set(members.map((one) => JSON.stringify(one)))).toEqual(model)
  // Each member once, and every node in order, with no node that leads nowhere: the set is in its one form.
  expect(JSON.stringify(set)).toBe(JSON.stringify(setOfPaths(members)))
  expect(JSON.stringify(parseFieldSet(JSON.parse(JSON.stringify(set))))).toBe(JSON.stringify(set))
}

function isAtOrBelow(member: string, other: string): boolean {
  const [one, above] = [JSON.parse(member) as string[], JSON.parse(other) as string[]]
  return above.every((part, at) => one[at] === part)
}

test("a set has the paths that it is made of", () => {
  fc.assert(fc.property(paths, (list) => expectSame(setOfPaths(list), modelOf(list))))
})

test("union, intersection and differences are those of the members", () => {
  fc.assert(
    fc.property(paths, paths, (a, b) => {
      const [one, other] = [modelOf(a), modelOf(b)]
      const [set, second] = [setOfPaths(a), setOfPaths(b)]
      expectSame(union(set, second), one.union(other))
      expectSame(intersection(set, second), one.intersection(other))
      expectSame(difference(set, second), one.difference(other))
      expectSame(
        recursiveDifference(set, second),
        new Set([...one].filter((member) => ![...other].some((above) => isAtOrBelow(member, above)))),
      )
      expect(equalSets(set, second)).toBe(one.symmetricDifference(other).size === 0)
    }),
  )
})

test("the laws of sets hold", () => {
  fc.assert(
    fc.property(paths.map(setOfPaths), paths.map(setOfPaths), paths.map(setOfPaths), (a, b, c) => {
      expect(union(a, b)).toEqual(union(b, a))
      expect(union(a, union(b, c))).toEqual(union(union(a, b), c))
      expect(intersection(a, union(b, c))).toEqual(union(intersection(a, b), intersection(a, c)))
      expect(difference(a, union(b, c))).toEqual(difference(difference(a, b), c))
      expect(union(difference(a, b), intersection(a, b))).toEqual(a)
      expect(intersection(difference(a, b), b)).toEqual({})
    }),
  )
})
