import type { Schema } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import { afterWrites, apply, type Outcome, update, type Write } from "../testing/history.ts"
import { anything, atomic, keyedBy, mapOf, number, object, setOf, text, withDefault } from "../testing/schemas.ts"

const deck = object({ name: text, size: number })
const schema = object({
  lists: mapOf(setOf(text)),
  maps: mapOf(mapOf(text)),
  deep: mapOf(mapOf(mapOf(text))),
  deck,
  decks: keyedBy(["name"], object({ name: text, crew: setOf(text), rooms: mapOf(text) })),
  free: anything,
})

type Row = readonly [title: string, writes: readonly Write[], outcome: Outcome]

describe("lists and maps in each other", () => {
  const rows: readonly Row[] = [
    [
      "an item of a list in an item changes",
      [apply("captain", { decks: [{ name: "a", crew: ["x"] }] }), apply("captain", { decks: [{ name: "a", crew: ["y"] }] })],
      {
        object: { decks: [{ name: "a", crew: ["y"] }] },
        managers: { "+captain": ['.decks[name="a"]', '.decks[name="a"].name', '.decks[name="a"].crew[="y"]'] },
      },
    ],
    [
      "an item and what is in it change",
      [apply("captain", { decks: [{ name: "a", crew: ["x"] }] }), apply("captain", { decks: [{ name: "b", crew: ["y"] }] })],
      {
        object: { decks: [{ name: "b", crew: ["y"] }] },
        managers: { "+captain": ['.decks[name="b"]', '.decks[name="b"].name', '.decks[name="b"].crew[="y"]'] },
      },
    ],
    [
      "a key in an item changes",
      [apply("captain", { decks: [{ name: "a", rooms: { x: "1" } }] }), apply("captain", { decks: [{ name: "a", rooms: { y: "1" } }] })],
      {
        object: { decks: [{ name: "a", rooms: { y: "1" } }] },
        managers: { "+captain": ['.decks[name="a"]', '.decks[name="a"].name', '.decks[name="a"].rooms.y'] },
      },
    ],
    [
      "an item of a list in a map changes",
      [
        apply("captain", { lists: { a: ["x"] } }),
        apply("captain", { lists: { a: ["x", "y"], b: ["z"] } }),
        apply("captain", { lists: { a: ["y"] } }),
      ],
      { object: { lists: { a: ["y"] } }, managers: { "+captain": [".lists.a", '.lists.a[="y"]'] } },
    ],
    [
      "a key of a map in a map changes",
      [apply("captain", { maps: { a: { x: "1" } } }), apply("captain", { maps: { b: { y: "1" } } })],
      { object: { maps: { b: { y: "1" } } }, managers: { "+captain": [".maps.b", ".maps.b.y"] } },
    ],
    [
      "a key in the middle changes",
      [apply("captain", { deep: { a: { b: { c: "1" } } } }), apply("captain", { deep: { a: { d: { c: "1" } } } })],
      { object: { deep: { a: { d: { c: "1" } } } }, managers: { "+captain": [".deep.a", ".deep.a.d", ".deep.a.d.c"] } },
    ],
    [
      "two appliers of one key have a key each below it",
      [apply("captain", { maps: { a: { x: "1" } } }), apply("mate", { maps: { a: { y: "2" } } }), apply("captain", { maps: {} })],
      { object: { maps: { a: { y: "2" } } }, managers: { "+captain": [".maps"], "+mate": [".maps.a", ".maps.a.y"] } },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema }, writes)).toEqual(outcome)
  })
})

describe("objects with named fields", () => {
  const rows: readonly Row[] = [
    [
      "one that is not applied any more goes",
      [apply("captain", { deck: { name: "a" }, free: 1 }), apply("captain", { free: 1 })],
      { object: { free: 1 }, managers: { "+captain": [".free"] } },
    ],
    [
      "one goes although an updater touched a field that was applied",
      [apply("captain", { deck: { name: "a" }, free: 1 }), update("mate", { deck: { name: "b" }, free: 1 }), apply("captain", { free: 1 })],
      // The updater owns the name now.
      { object: { deck: { name: "b" }, free: 1 }, managers: { "+captain": [".free"], mate: [".deck.name"] } },
    ],
    [
      "one stays as far as an updater filled it",
      [
        apply("captain", { deck: { name: "a" }, free: 1 }),
        update("mate", { deck: { name: "a", size: 2 }, free: 1 }),
        apply("captain", { free: 1 }),
      ],
      { object: { deck: { size: 2 }, free: 1 }, managers: { "+captain": [".free"], mate: [".deck.size"] } },
    ],
    [
      "one that an updater made null is taken by that updater",
      [apply("captain", { deck: { name: "a" }, free: 1 }), update("mate", { deck: null, free: 1 }), apply("captain", { free: 1 })],
      { object: { deck: null, free: 1 }, managers: { "+captain": [".free"] } },
    ],
    ...[{}, null].map(
      (none): Row => [
        `one that is applied as ${JSON.stringify(none)} stays as far as an updater filled it`,
        [apply("captain", { deck: { name: "a" } }), update("mate", { deck: { name: "a", size: 2 } }), apply("captain", { deck: none })],
        { object: { deck: { size: 2 } }, managers: { "+captain": [".deck"], mate: [".deck.size"] } },
      ],
    ),
    [
      "one that is applied as null stays as an updater took it over",
      [apply("captain", { deck: { name: "a" } }), update("mate", { deck: { name: "b", size: 2 } }), apply("captain", { deck: null })],
      { object: { deck: { name: "b", size: 2 } }, managers: { "+captain": [".deck"], mate: [".deck.name", ".deck.size"] } },
    ],
    [
      "one that is applied as null and that no other manager filled is null",
      [apply("captain", { deck: { name: "a" } }), apply("captain", { deck: null })],
      { object: { deck: null }, managers: { "+captain": [".deck"] } },
    ],
    ["null is owned", [apply("captain", { deck: null })], { object: { deck: null }, managers: { "+captain": [".deck"] } }],
    [
      "an empty one is owned, and filled by others without a conflict",
      [apply("captain", { deck: {} }), apply("mate", { deck: { name: "a" } })],
      { object: { deck: { name: "a" } }, managers: { "+captain": [".deck"], "+mate": [".deck.name"] } },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema }, writes)).toEqual(outcome)
  })
})

describe("maps in maps that several managers fill", () => {
  const chart: Schema = { type: "map", items: undefined }
  const maps = Object.assign(chart, { items: chart })
  const filled = (...levels: readonly unknown[]) => levels.reduceRight<unknown>((below, name) => ({ [name as string]: below }), null)
  const deep = { x: filled("b", "c", "d", "e"), y: filled("d", "e", "f", "g") }
  const writes = (place: (maps: unknown) => unknown): readonly Write[] => [
    apply("north", place({ x: { b: null }, y: { d: null } })),
    apply("south", place({ x: null, y: { d: null } }), { version: "v2" }),
    update("pilot", place({ x: filled("b", "c"), y: filled("d", "e") }), { version: "v3" }),
    update("mate", place({ x: filled("b", "c", "d"), y: filled("d", "e", "f") }), { version: "v2" }),
    update("pilot", place(deep), { version: "v3" }),
    apply("north", place(null), { version: "v4" }),
  ]
  const owners = (root: string) => ({
    "+south": [`${root}.x`, `${root}.y`, `${root}.y.d`],
    mate: [`${root}.y.d.e.f`],
    pilot: [`${root}.y.d.e`, `${root}.y.d.e.f.g`],
  })

  test("the leaving manager takes along what it alone held, and updaters keep what the other holds", () => {
    expect(
      afterWrites(
        { schema: object({ maps }) },
        writes((value) => ({ maps: value })),
      ),
    ).toEqual({
      object: { maps: { x: null, y: deep.y } },
      managers: { "+north": [".maps"], ...owners(".maps") },
    })
  })

  test("likewise where there is no schema", () => {
    const deduced = object({}, { items: anything })
    expect(
      afterWrites(
        { schema: deduced },
        writes((value) => value ?? {}),
      ),
    ).toEqual({
      object: { x: null, y: deep.y },
      managers: owners(""),
    })
  })
})

test("an item that another manager owns stays, although nothing of what is in it is owned any more", () => {
  const harbour = object({
    c: object({ a: keyedBy(["name"], object({ name: withDefault(text, "main"), id: number, w: object({ x: text }) })) }),
  })
  const writes = [
    apply("mate", { c: { a: [{ id: 1, w: { x: "1" } }] } }),
    update("pilot", { c: { a: [{ name: "o" }, { id: 0, w: {} }] } }),
    apply("pilot", { c: { a: null } }, { force: true }),
  ]
  expect(afterWrites({ schema: harbour }, writes)).toEqual({
    object: { c: { a: [{ w: {} }] } },
    managers: { "+mate": ['.c.a[name="main"]'], "+pilot": [".c.a"] },
  })
})

describe("a field may say otherwise than its type", () => {
  const pair = object({ a: text, b: text })
  const pairs = keyedBy(["a"], pair)
  test.each([
    ["an atomic type in parts", { ...atomic(pair), mapType: "granular" as const }, { a: "1" }, [".x.a"]],
    ["a type of parts as a whole", atomic(pair), { a: "1" }, [".x"]],
    ["a keyed list as a whole", { ...pairs, listType: "atomic" as const }, [{ a: "1" }], [".x"]],
    [
      "an atomic list by keys",
      { ...atomic(pairs), listType: "map" as const, listMapKeys: ["a"] },
      [{ a: "1" }],
      ['.x[a="1"]', '.x[a="1"].a'],
    ],
  ])("%s", (_title, field, x, paths) => {
    const outcome = afterWrites({ schema: object({ x: field }) }, [apply("captain", { x })])
    expect(outcome.managers).toEqual({ "+captain": paths })
  })
})

test("fields that the schema does not know are kept where it lets them be", () => {
  const open = object({ spec: object({ known: text }, { items: anything }) })
  const writes = [
    apply("captain", { spec: { known: "1", other: { x: 1 } } }),
    update("mate", { spec: { known: "1", other: { x: 1, y: 2 } } }),
    apply("captain", { spec: { known: "1" } }),
  ]
  // The key goes as a whole: no other manager owns the key itself.
  expect(afterWrites({ schema: open }, writes)).toEqual({ object: { spec: { known: "1" } }, managers: { "+captain": [".spec.known"] } })
})
