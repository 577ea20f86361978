import { describe, expect, test } from "vitest"
import { afterWrites, apply, type Outcome, update, type Write } from "../testing/history.ts"
import { keyedBy, mapOf, number, object, setOf, text, withDefault } from "../testing/schemas.ts"
import { typedErrors } from "../typed/index.ts"

type Row = readonly [title: string, writes: readonly Write[], outcome: Outcome]

const ports = (...names: readonly string[]) => ({ ports: names })
const port = (name: string) => `.ports[="${name}"]`

describe("sets", () => {
  const schema = object({ ports: setOf(text) })
  const rows: readonly Row[] = [
    [
      "items are owned one by one",
      [apply("captain", ports("rye", "hull")), update("mate", ports("rye", "hull", "cork"))],
      { object: ports("rye", "hull", "cork"), managers: { "+captain": [port("hull"), port("rye")], mate: [port("cork")] } },
    ],
    [
      "an item of both is owned by both",
      [apply("captain", ports("rye", "hull")), apply("mate", ports("hull", "cork"))],
      {
        object: ports("rye", "hull", "cork"),
        managers: { "+captain": [port("hull"), port("rye")], "+mate": [port("cork"), port("hull")] },
      },
    ],
    [
      "an item that is not applied any more goes, but for one of another manager",
      [apply("captain", ports("rye", "hull", "cork")), apply("mate", ports("hull")), apply("captain", ports("cork"))],
      { object: ports("hull", "cork"), managers: { "+captain": [port("cork")], "+mate": [port("hull")] } },
    ],
    [
      "an item that an update added stays where it is",
      [apply("captain", ports("rye", "hull")), update("mate", ports("cork", "rye", "hull")), apply("captain", ports("hull"))],
      { object: ports("cork", "hull"), managers: { "+captain": [port("hull")], mate: [port("cork")] } },
    ],
    [
      "the order of the configuration wins, items of others keep their places",
      [
        apply("captain", ports("rye", "hull", "cork")),
        update("mate", ports("rye", "bath", "hull", "cork")),
        apply("captain", ports("cork", "hull", "rye")),
      ],
      {
        object: ports("bath", "cork", "hull", "rye"),
        managers: { "+captain": [port("cork"), port("hull"), port("rye")], mate: [port("bath")] },
      },
    ],
    [
      "new items of the configuration come where it has them, before what another manager added there",
      [
        apply("captain", ports("hull", "rye")),
        update("mate", ports("hull", "bath", "rye", "york")),
        apply("captain", ports("hull", "cork", "rye", "ayr")),
      ],
      {
        object: ports("hull", "bath", "cork", "rye", "york", "ayr"),
        managers: { "+captain": [port("ayr"), port("cork"), port("hull"), port("rye")], mate: [port("bath"), port("york")] },
      },
    ],
    [
      "an item that an update added and the configuration has too is owned by both",
      [
        apply("captain", ports("hull", "rye")),
        update("mate", ports("hull", "cork", "rye", "ayr")),
        apply("captain", ports("hull", "cork", "rye")),
      ],
      {
        object: ports("hull", "cork", "rye", "ayr"),
        managers: { "+captain": [port("cork"), port("hull"), port("rye")], mate: [port("ayr"), port("cork")] },
      },
    ],
    [
      "the order of the configuration comes back after an update",
      [
        apply("captain", ports("ayr", "bath", "cork")),
        update("mate", ports("ayr", "cork", "bath")),
        apply("captain", ports("ayr", "bath", "cork")),
      ],
      { object: ports("ayr", "bath", "cork"), managers: { "+captain": [port("ayr"), port("bath"), port("cork")] } },
    ],
    [
      "another order alone takes nothing from another manager",
      [apply("captain", ports("rye", "hull")), update("mate", ports("hull", "rye"))],
      { object: ports("hull", "rye"), managers: { "+captain": [port("hull"), port("rye")] } },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema }, writes)).toEqual(outcome)
    expect(
      afterWrites(
        { schema },
        writes.map((write, at) => ({ ...write, version: `v${at}` })),
      ),
      "across versions",
    ).toEqual(outcome)
  })
})

const berth = object({ name: text, depth: number, lines: setOf(text), rates: mapOf(number) })
const harbour = object({ berths: keyedBy(["name"], berth) })
const berths = (...list: readonly object[]) => ({ berths: list })
const at = (name: string, ...below: readonly string[]) => ["", ".name", ...below].map((field) => `.berths[name="${name}"]${field}`)

describe("keyed lists", () => {
  const rows: readonly Row[] = [
    [
      "an item of one applier goes without those of the other",
      [apply("north", berths({ name: "a" }, { name: "b" })), apply("south", berths({ name: "c" })), apply("north", berths({ name: "a" }))],
      { object: berths({ name: "a" }, { name: "c" }), managers: { "+north": at("a"), "+south": at("c") } },
    ],
    [
      "an item of both appliers stays until the last of them leaves it out",
      [apply("north", berths({ name: "a" }, { name: "b" })), apply("south", berths({ name: "b" })), apply("north", berths({ name: "a" }))],
      { object: berths({ name: "a" }, { name: "b" }), managers: { "+north": at("a"), "+south": at("b") } },
    ],
    [
      "the same value in an item is no conflict",
      [apply("north", berths({ name: "a", depth: 9 })), apply("south", berths({ name: "a", depth: 9 }))],
      {
        object: berths({ name: "a", depth: 9 }),
        managers: { "+north": at("a", ".depth").toSorted(byLength), "+south": at("a", ".depth").toSorted(byLength) },
      },
    ],
    [
      "another value in an item is a conflict",
      [
        apply("north", berths({ name: "a", depth: 9 })),
        apply("south", berths({ name: "a", depth: 8 }), { conflicts: ['north .berths[name="a"].depth'] }),
      ],
      { object: berths({ name: "a", depth: 9 }), managers: { "+north": at("a", ".depth").toSorted(byLength) } },
    ],
    [
      "of a shared item only the own fields go",
      [
        apply("north", berths({ name: "a", depth: 9, lines: ["x"] })),
        apply("south", berths({ name: "a", lines: ["y"] })),
        apply("north", berths({ name: "b" })),
      ],
      {
        object: berths({ name: "a", lines: ["y"] }, { name: "b" }),
        managers: { "+north": at("b"), "+south": at("a", '.lines[="y"]') },
      },
    ],
    [
      "an item that no other manager owns goes with all that is below it",
      [apply("north", berths({ name: "a" }, { name: "b", depth: 2 })), apply("north", berths({ name: "a" }))],
      { object: berths({ name: "a" }), managers: { "+north": at("a") } },
    ],
    [
      "it goes with what an updater put below it too",
      [
        apply("north", berths({ name: "a" }, { name: "b", lines: ["x"] })),
        update("pilot", berths({ name: "a" }, { name: "b", lines: ["x", "z"] })),
        apply("north", berths({ name: "a" })),
      ],
      { object: berths({ name: "a" }), managers: { "+north": at("a") } },
    ],
    [
      "an item that another applier owns too keeps what an updater put below it",
      [
        apply("north", berths({ name: "a" }, { name: "b", lines: ["x"] })),
        apply("south", berths({ name: "b", lines: ["y"] })),
        update("pilot", berths({ name: "a" }, { name: "b", lines: ["x", "y", "z"] })),
        apply("north", berths({ name: "a" })),
      ],
      {
        object: berths({ name: "a" }, { name: "b", lines: ["y", "z"] }),
        managers: { "+north": at("a"), "+south": at("b", '.lines[="y"]'), pilot: ['.berths[name="b"].lines[="z"]'] },
      },
    ],
    [
      "keys of a map below an item are owned one by one",
      [
        apply("north", berths({ name: "a", rates: { day: 1 } })),
        apply("south", berths({ name: "a", rates: { night: 2 } })),
        apply("north", berths({ name: "a" })),
      ],
      { object: berths({ name: "a", rates: { night: 2 } }), managers: { "+north": at("a"), "+south": at("a", ".rates.night") } },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema: harbour }, writes)).toEqual(outcome)
    expect(
      afterWrites(
        { schema: harbour },
        writes.map((write, index) => ({ ...write, version: `v${index}` })),
      ),
      "across versions",
    ).toEqual(outcome)
  })
})

function byLength(a: string, b: string): number {
  return a.endsWith("]") || b.endsWith("]") ? a.length - b.length : a < b ? -1 : 1
}

describe("keys with defaults", () => {
  const item = (keys: Parameters<typeof object>[0]) => object({ ...keys, depth: number })
  const both = object({ slips: keyedBy(["name", "side"], item({ name: text, side: withDefault(text, "port") })) })
  const rows: readonly Row[] = [
    [
      "an item without a key is the one that has its default",
      [apply("captain", { slips: [{ name: "a", depth: 1 }] }), update("mate", { slips: [{ name: "a", side: "port", depth: 1 }] })],
      {
        object: { slips: [{ name: "a", side: "port", depth: 1 }] },
        managers: {
          "+captain": ['.slips[name="a",side="port"]', '.slips[name="a",side="port"].depth', '.slips[name="a",side="port"].name'],
          mate: ['.slips[name="a",side="port"].side'],
        },
      },
    ],
    [
      "a conflict is found between an item without the key and one with it",
      [
        apply("captain", { slips: [{ name: "a", depth: 1 }] }),
        apply("mate", { slips: [{ name: "a", side: "port", depth: 2 }] }, { conflicts: ['captain .slips[name="a",side="port"].depth'] }),
      ],
      {
        object: { slips: [{ name: "a", depth: 1 }] },
        managers: {
          "+captain": ['.slips[name="a",side="port"]', '.slips[name="a",side="port"].depth', '.slips[name="a",side="port"].name'],
        },
      },
    ],
    [
      "an item without a key that has no default is another one than any with it",
      [apply("captain", { slips: [{ side: "port" }, { name: "a", side: "port" }] })],
      {
        object: { slips: [{ side: "port" }, { name: "a", side: "port" }] },
        managers: {
          "+captain": [
            '.slips[name="a",side="port"]',
            '.slips[side="port"]',
            '.slips[name="a",side="port"].name',
            '.slips[name="a",side="port"].side',
            '.slips[side="port"].side',
          ],
        },
      },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema: both }, writes)).toEqual(outcome)
  })

  test("items with the default and with another value are two", () => {
    const slips = [{ name: "a" }, { name: "a", side: "star" }]
    expect(afterWrites({ schema: both }, [apply("captain", { slips })]).managers["+captain"]).toEqual([
      '.slips[name="a",side="port"]',
      '.slips[name="a",side="star"]',
      '.slips[name="a",side="port"].name',
      '.slips[name="a",side="star"].name',
      '.slips[name="a",side="star"].side',
    ])
  })

  test("an item whose keys all have defaults may leave all of them out, in a list in a list too", () => {
    const page = object({ side: withDefault(text, "port"), lines: keyedBy(["at"], object({ at: withDefault(number, 1), words: text })) })
    const writes = [apply("captain", { pages: [{ lines: [{ words: "ahoy" }] }] })]
    expect(afterWrites({ schema: object({ pages: keyedBy(["side"], page) }) }, writes)).toEqual({
      object: { pages: [{ lines: [{ words: "ahoy" }] }] },
      managers: {
        "+captain": ['.pages[side="port"]', '.pages[side="port"].lines[at=1]', '.pages[side="port"].lines[at=1].words'],
      },
    })
  })

  test("a number and its default are one key, whichever way they are written", () => {
    const numbered = object({ slips: keyedBy(["name", "at"], object({ name: text, at: withDefault(number, 1.0), depth: number })) })
    const writes = [apply("captain", { slips: [{ name: "a", depth: 1 }] }), apply("mate", { slips: [{ name: "a", at: 1 }] })]
    expect(afterWrites({ schema: numbered }, writes).object).toEqual({ slips: [{ name: "a", depth: 1, at: 1 }] })
  })

  test.each([
    ["twice without the key", [{ name: "a" }, { name: "a" }]],
    ["without the key and with its default", [{ name: "a" }, { name: "a", side: "port" }]],
  ])("an item that is applied %s is refused", (_title, slips) => {
    expect(typedErrors({ slips }, both, { allowDuplicates: false })).toEqual(['.slips: duplicate entries for key [name="a",side="port"]'])
  })
})
