import type { ControllerRevision } from "@pilothouse/api/apps/v1"
import type { Reader } from "@pilothouse/runtime"
import { describe, expect, test } from "vitest"
import { nextRevision, revisionsWith, sortedRevisions } from "./history.ts"
import { proposeRevision } from "./observe-revisions.ts"
import { revisionData, revisionHash, revisionName, sameData, templateIn } from "./revision-data.ts"

function revision(number: number, created: string, name: string, data: unknown = {}): ControllerRevision {
  return { apiVersion: "apps/v1", kind: "ControllerRevision", metadata: { name, creationTimestamp: created }, revision: number, data }
}

describe("the data of a revision", () => {
  const template = { spec: { containers: [{ name: "web", image: "example/web:1" }] }, metadata: { labels: { b: "2", a: "1" } } }

  test("is a patch that replaces the template, with its keys in order", () => {
    expect(JSON.stringify(revisionData(template))).toBe(
      '{"spec":{"template":{"$patch":"replace","metadata":{"labels":{"a":"1","b":"2"}},"spec":{"containers":[{"image":"example/web:1","name":"web"}]}}}}',
    )
  })

  test("gives the template back", () => {
    expect(templateIn(revisionData(template))).toEqual(template)
  })

  test.each([undefined, null, {}, { spec: {} }, { spec: { template: null } }])("data that is none gives none: %j", (data) => {
    expect(templateIn(data)).toBeUndefined()
  })

  test.each([
    { name: "the same in another order", one: { a: 1, b: [{ c: 2, d: 3 }] }, other: { b: [{ d: 3, c: 2 }], a: 1 }, expected: true },
    { name: "null is absent", one: { a: { creationTimestamp: null } }, other: { a: {} }, expected: true },
    { name: "an empty object is not absent", one: { emptyDir: {} }, other: {}, expected: false },
    { name: "the order of a list counts", one: [1, 2], other: [2, 1], expected: false },
    { name: "another value", one: { a: 1 }, other: { a: 2 }, expected: false },
  ])("equality: $name (EqualRevision)", ({ one, other, expected }) => {
    expect(sameData(one, other)).toBe(expected)
  })
})

describe("the name of a revision (HashControllerRevision, ControllerRevisionName)", () => {
  test("the hash is FNV-1 of 32 bits, in letters that spell no words", () => {
    // The two bytes of "{}" and the digit of the count.
    let expected = 2166136261n
    for (const byte of new TextEncoder().encode("{}0")) expected = ((expected * 16777619n) & 0xffffffffn) ^ BigInt(byte)
    const letters = [...String(expected)].map((digit) => "bcdfghjklmnpqrstvwxz2456789"[digit.charCodeAt(0) % 27]).join("")
    expect(revisionHash({}, 0)).toBe(letters)
    expect(revisionHash({}, 1)).not.toBe(letters)
  })

  test("a long name of the owner is cut", () => {
    expect(revisionName("a".repeat(253), "xyz")).toBe(`${"a".repeat(223)}-xyz`)
  })
})

describe("a history", () => {
  const [first, second, third] = [
    revision(1, "2026-01-05T08:00:00Z", "b"),
    revision(2, "2026-01-05T08:00:00Z", "z"),
    revision(2, "2026-01-05T09:00:00Z", "a"),
  ]

  test("is sorted by number, age and name", () => {
    const twin = revision(2, "2026-01-05T08:00:00Z", "y")
    expect(sortedRevisions([third!, second!, first!, twin]).map(({ metadata }) => metadata.name)).toEqual(["b", "y", "z", "a"])
  })

  test("goes on one above the highest", () => {
    expect([nextRevision([]), nextRevision([second!, first!]), nextRevision([revision(41, "", "x")])]).toEqual([1, 3, 42])
  })

  test("finds what says the same (FindEqualRevisions)", () => {
    const all = [revision(1, "", "a", { x: 1 }), revision(2, "", "b", { x: 2 }), revision(3, "", "c", { x: 1 })]
    expect(revisionsWith(all, { x: 1 }).map(({ metadata }) => metadata.name)).toEqual(["a", "c"])
  })
})

describe("the revision that a template would have", () => {
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", metadata: { name: "web", namespace: "default" } }
  const template = { spec: { containers: [{ name: "web" }] } }
  const name = (count: number) => revisionName("web", revisionHash(revisionData(template), count))
  const reader = (stored: Readonly<Record<string, unknown>>) =>
    ({ get: (_of: unknown, key: string) => (key in stored ? { metadata: {}, data: stored[key] } : undefined) }) as unknown as Reader

  test.each([
    { name: "a free name is taken", stored: {}, from: 0, count: 0, exists: false },
    { name: "the count of the status goes on", stored: {}, from: 4, count: 4, exists: false },
    {
      name: "a name with the same data is ours",
      stored: { [`default/${name(0)}`]: revisionData(template) },
      from: 0,
      count: 0,
      exists: true,
    },
    { name: "a name with other data is passed over", stored: { [`default/${name(0)}`]: { other: 1 } }, from: 0, count: 1, exists: false },
    {
      name: "so are two of them",
      stored: {
        [`default/${name(0)}`]: { other: 1 },
        [`default/${name(1)}`]: { other: 2 },
        [`default/${name(2)}`]: revisionData(template),
      },
      from: 0,
      count: 2,
      exists: true,
    },
  ])("$name (CreateControllerRevision)", ({ stored, from, count, exists }) => {
    const proposal = proposeRevision(reader(stored), owner, template, from)
    expect([proposal.collisionCount, proposal.name, proposal.existing !== undefined]).toEqual([count, name(count), exists])
  })
})
