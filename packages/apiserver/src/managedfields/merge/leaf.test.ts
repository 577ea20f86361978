import { describe, expect, test } from "vitest"
import { afterWrites, apply, type Outcome, update, type Write } from "../testing/history.ts"
import { anything, flag, number, object, text } from "../testing/schemas.ts"

const ship = object({ crew: number, name: text, afloat: flag })

const rows: readonly (readonly [title: string, writes: readonly Write[], outcome: Outcome])[] = [
  [
    "a second apply replaces what the first one owned",
    [apply("captain", { crew: 1, name: "Ida" }), apply("captain", { crew: 2, name: "Ida", afloat: false })],
    { object: { crew: 2, name: "Ida", afloat: false }, managers: { "+captain": [".afloat", ".crew", ".name"] } },
  ],
  [
    "a second apply in another version is of that version",
    [apply("captain", { crew: 1 }), apply("captain", { crew: 2, name: "Ida" }, { version: "v2" })],
    { object: { crew: 2, name: "Ida" }, managers: { "+captain": [".crew", ".name"] } },
  ],
  [
    "an update takes the fields that it changes, and no others",
    [
      apply("captain", { crew: 1, name: "Ida" }),
      update("mate", { crew: 1, name: "Ada", afloat: true }),
      apply("captain", { crew: 2, name: "Ada" }, { conflicts: [] }),
    ],
    { object: { crew: 2, name: "Ada", afloat: true }, managers: { "+captain": [".crew", ".name"], mate: [".afloat", ".name"] } },
  ],
  [
    "an update in another version takes fields all the same",
    [apply("captain", { crew: 1, name: "Ida" }), update("mate", { crew: 1, name: "Ada" }, { version: "v2" })],
    { object: { crew: 1, name: "Ada" }, managers: { "+captain": [".crew"], mate: [".name"] } },
  ],
  [
    "a value that another manager owns is a conflict, and nothing changes",
    [
      apply("captain", { crew: 1, name: "Ida" }),
      update("mate", { crew: 1, name: "Ada", afloat: true }),
      apply("captain", { crew: 2, name: "Ida" }, { conflicts: ["mate .name"] }),
    ],
    { object: { crew: 1, name: "Ada", afloat: true }, managers: { "+captain": [".crew"], mate: [".afloat", ".name"] } },
  ],
  [
    "a conflict is found across versions",
    [
      apply("captain", { name: "Ida" }),
      update("mate", { name: "Ada" }, { version: "v2" }),
      apply("captain", { name: "Ida" }, { version: "v3", conflicts: ["mate .name"] }),
    ],
    { object: { name: "Ada" }, managers: { mate: [".name"] } },
  ],
  [
    "conflicts stand by manager, then by path",
    [
      update("purser", { crew: 1 }),
      update("mate", { crew: 1, name: "Ada", afloat: true }),
      apply("captain", { name: "Ida", crew: 9, afloat: false }, { conflicts: ["mate .afloat", "mate .name", "purser .crew"] }),
    ],
    { object: { crew: 1, name: "Ada", afloat: true }, managers: { mate: [".afloat", ".name"], purser: [".crew"] } },
  ],
  [
    "force takes a field from its owner",
    [update("mate", { name: "Ada", crew: 1 }), apply("captain", { name: "Ida" }, { force: true })],
    { object: { name: "Ida", crew: 1 }, managers: { "+captain": [".name"], mate: [".crew"] } },
  ],
  [
    "the same value is owned by both, without a conflict",
    [update("mate", { name: "Ida" }), apply("captain", { name: "Ida" })],
    { object: { name: "Ida" }, managers: { "+captain": [".name"], mate: [".name"] } },
  ],
  [
    "what is not applied any more is removed",
    [apply("captain", { crew: 1, name: "Ida", afloat: true }), apply("captain", { name: "Ida" })],
    { object: { name: "Ida" }, managers: { "+captain": [".name"] } },
  ],
  [
    "what is not applied any more is removed across versions",
    [apply("captain", { crew: 1, name: "Ida" }), apply("captain", { name: "Ida" }, { version: "v2" })],
    { object: { name: "Ida" }, managers: { "+captain": [".name"] } },
  ],
  [
    "what another manager owns too stays",
    [update("mate", { crew: 1, name: "Ida" }), apply("captain", { crew: 1, name: "Ida" }), apply("captain", { name: "Ida" })],
    { object: { crew: 1, name: "Ida" }, managers: { "+captain": [".name"], mate: [".crew", ".name"] } },
  ],
  [
    "what was never applied stays",
    [update("mate", { crew: 1, name: "Ida" }), apply("captain", { afloat: true })],
    { object: { crew: 1, name: "Ida", afloat: true }, managers: { "+captain": [".afloat"], mate: [".crew", ".name"] } },
  ],
  [
    "a manager whose last field an update removes is gone",
    [update("mate", { name: "Ida" }), update("purser", {})],
    { object: {}, managers: {} },
  ],
  [
    "a field that an update took stays when it is not applied any more",
    [apply("captain", { crew: 2 }), update("mate", { crew: 1 }), apply("captain", {})],
    { object: { crew: 1 }, managers: { mate: [".crew"] } },
  ],
  [
    "force takes a value from an update of another version, which keeps the rest",
    [
      apply("captain", { crew: 1, name: "Ida" }),
      update("mate", { crew: 1, name: "Ada", afloat: true }, { version: "v2" }),
      apply("captain", { crew: 2, name: "Eva" }, { conflicts: ["mate .name"] }),
      apply("captain", { crew: 2, name: "Eva" }, { force: true }),
    ],
    { object: { crew: 2, name: "Eva", afloat: true }, managers: { "+captain": [".crew", ".name"], mate: [".afloat"] } },
  ],
  ["a manager that applies nothing is gone", [apply("captain", { name: "Ida" }), apply("captain", {})], { object: null, managers: {} }],
]

describe("named fields", () => {
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema: ship }, writes)).toEqual(outcome)
  })
})

describe("fields of an object that has no schema", () => {
  const deduced = object({}, { items: anything })
  // The root counts as an object here, so that the two schemas differ in nothing but what they know of its fields.
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema: deduced }, writes)).toEqual(outcome)
  })

  test("lists are owned as a whole, maps key by key", () => {
    const writes = [
      apply("captain", { cargo: ["tea"], hold: { left: { tea: 1 } } }),
      update("mate", { cargo: ["tea"], hold: { left: { tea: 1, silk: 2 } } }),
      apply("captain", { cargo: ["tea", "silk"], hold: { left: { tea: 3 } } }),
    ]
    expect(afterWrites({ schema: deduced }, writes)).toEqual({
      object: { cargo: ["tea", "silk"], hold: { left: { tea: 3, silk: 2 } } },
      managers: { "+captain": [".cargo", ".hold", ".hold.left", ".hold.left.tea"], mate: [".hold.left.silk"] },
    })
  })

  test.each([
    ["one version", "v1", "v1"],
    ["several versions", "v2", "v3"],
  ])("each atomic list and leaf in maps is a conflict of its own, in %s", (_title, second, third) => {
    const cargo = (tons: number, marks: readonly number[], ...chests: readonly object[]) => ({ hold: { left: { tons, marks, chests } } })
    const config = { crew: 2, ...cargo(2, [3, 2, 1], { tea: 1 }) }
    const writes = [
      apply("captain", { crew: 1, ...cargo(2, [1, 2, 3], { tea: 1 }) }),
      update("mate", { crew: 1, ...cargo(3, [1, 2, 3, 4], { tea: 2 }), flag: 5 }, { version: second }),
      apply("captain", config, {
        version: third,
        conflicts: ["mate .hold.left.chests", "mate .hold.left.marks", "mate .hold.left.tons"],
      }),
      apply("captain", config, { version: third, force: true }),
    ]
    expect(afterWrites({ schema: deduced }, writes)).toEqual({
      object: { ...config, flag: 5 },
      managers: {
        "+captain": [".crew", ".hold", ".hold.left", ".hold.left.chests", ".hold.left.marks", ".hold.left.tons"],
        mate: [".flag"],
      },
    })
  })

  test("a value of another form is a conflict with what is below it", () => {
    const writes = [update("mate", { hold: { tea: 1 } }), apply("captain", { hold: "full" }, { conflicts: ["mate .hold"] })]
    expect(afterWrites({ schema: deduced }, writes).object).toEqual({ hold: { tea: 1 } })
    const forced = [...writes.slice(0, 1), apply("captain", { hold: "full" }, { force: true })]
    expect(afterWrites({ schema: deduced }, forced)).toEqual({ object: { hold: "full" }, managers: { "+captain": [".hold"] } })
  })
})
