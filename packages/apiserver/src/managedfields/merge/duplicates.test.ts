import { describe, expect, test } from "vitest"
import { afterWrites, apply, type Outcome, update, type Write } from "../testing/history.ts"
import { keyedBy, number, object, setOf, text } from "../testing/schemas.ts"

type Row = readonly [title: string, writes: readonly Write[], outcome: Outcome]

const berth = object({ name: text, depth: number, width: number })
const schema = object({ ports: setOf(number), berths: keyedBy(["name"], berth), keel: number })
const ports = (...list: readonly number[]) => ({ ports: list })
const berths = (...list: readonly object[]) => ({ berths: list })
const [shallow, deep, other] = [
  { name: "a", depth: 1 },
  { name: "a", depth: 2 },
  { name: "b", depth: 3 },
]
const [a, b] = ['.berths[name="a"]', '.berths[name="b"]']
/** Two items of one key and one of another, as an updater has written them. */
const twice = update("mate", berths(shallow, deep, other))

describe("items of a set that are there twice", () => {
  const rows: readonly Row[] = [
    [
      "are owned once",
      [update("mate", ports(1, 1, 3))],
      { object: ports(1, 1, 3), managers: { mate: [".ports", ".ports[=1]", ".ports[=3]"] } },
    ],
    [
      "are all changed by one more",
      [update("mate", ports(1, 1)), update("pilot", ports(1, 1, 1))],
      { object: ports(1, 1, 1), managers: { mate: [".ports"], pilot: [".ports[=1]"] } },
    ],
    [
      "belong to the manager that added the second",
      [update("mate", ports(1, 3)), update("pilot", ports(1, 1, 3))],
      { object: ports(1, 1, 3), managers: { mate: [".ports", ".ports[=3]"], pilot: [".ports[=1]"] } },
    ],
    [
      "belong to the manager that left one of them",
      [update("mate", ports(1, 1, 3)), update("pilot", ports(1, 3))],
      { object: ports(1, 3), managers: { mate: [".ports", ".ports[=3]"], pilot: [".ports[=1]"] } },
    ],
    [
      "are replaced by an applied one, by force",
      [
        update("mate", ports(1, 1, 3)),
        apply("captain", ports(1), { conflicts: ["mate .ports[=1]"] }),
        apply("captain", ports(1), { force: true }),
      ],
      { object: ports(1, 3), managers: { "+captain": [".ports[=1]"], mate: [".ports", ".ports[=3]"] } },
    ],
    [
      "stay where another one is applied",
      [update("mate", ports(1, 1, 3)), apply("captain", ports(5))],
      { object: ports(1, 1, 3, 5), managers: { "+captain": [".ports[=5]"], mate: [".ports", ".ports[=1]", ".ports[=3]"] } },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema }, writes)).toEqual(outcome)
  })
})

describe("items of one key, when they are updated", () => {
  const rows: readonly Row[] = [
    [
      "are owned as a whole",
      [twice],
      { object: berths(shallow, deep, other), managers: { mate: [".berths", a, b, `${b}.depth`, `${b}.name`] } },
    ],
    [
      "belong to the manager that changed one of them",
      [twice, update("pilot", berths(shallow, { name: "a", depth: 9 }, other))],
      {
        object: berths(shallow, { name: "a", depth: 9 }, other),
        managers: { mate: [".berths", b, `${b}.depth`, `${b}.name`], pilot: [a] },
      },
    ],
    [
      "belong to the manager that gave one of them another field",
      [twice, update("pilot", berths(shallow, { ...deep, width: 4 }, other))],
      {
        object: berths(shallow, { ...deep, width: 4 }, other),
        managers: { mate: [".berths", b, `${b}.depth`, `${b}.name`], pilot: [a] },
      },
    ],
    [
      "belong to the manager that added the second, whatever is in it",
      [update("mate", berths(shallow, other)), update("pilot", berths(shallow, { name: "a", width: 4 }, other))],
      {
        object: berths(shallow, { name: "a", width: 4 }, other),
        managers: { mate: [".berths", b, `${b}.depth`, `${b}.name`], pilot: [a] },
      },
    ],
    [
      "are owned field by field when one is left",
      [update("mate", berths(shallow, { name: "a" })), update("pilot", berths(shallow))],
      { object: berths(shallow), managers: { mate: [".berths"], pilot: [a, `${a}.depth`, `${a}.name`] } },
    ],
    [
      "stay with their manager where another item is added",
      [update("mate", berths(shallow, deep)), update("pilot", berths(shallow, deep, other))],
      { object: berths(shallow, deep, other), managers: { mate: [".berths", a], pilot: [b, `${b}.depth`, `${b}.name`] } },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema }, writes)).toEqual(outcome)
  })
})

describe("items of one key, when something is applied beside them", () => {
  const applied = { name: "a", depth: 9 }
  const rows: readonly Row[] = [
    [
      "stay where a new item is applied",
      [update("mate", berths(shallow, deep)), apply("captain", berths({ name: "b" }))],
      {
        object: berths(shallow, deep, { name: "b" }),
        managers: { "+captain": [b, `${b}.name`], mate: [".berths", a] },
      },
    ],
    [
      "stay where another field is applied",
      [twice, apply("captain", { keel: 5 })],
      {
        object: { ...berths(shallow, deep, other), keel: 5 },
        managers: { "+captain": [".keel"], mate: [".berths", a, b, `${b}.depth`, `${b}.name`] },
      },
    ],
    [
      "stay where an item that is there once is changed",
      [twice, apply("captain", berths({ name: "b", depth: 4 }), { force: true })],
      {
        object: berths(shallow, deep, { name: "b", depth: 4 }),
        managers: { "+captain": [b, `${b}.depth`, `${b}.name`], mate: [".berths", a, b, `${b}.name`] },
      },
    ],
    [
      "are replaced by another value, by force",
      [twice, apply("captain", berths(applied), { conflicts: [`mate ${a}`] }), apply("captain", berths(applied), { force: true })],
      {
        object: berths(applied, other),
        managers: { "+captain": [a, `${a}.depth`, `${a}.name`], mate: [".berths", b, `${b}.depth`, `${b}.name`] },
      },
    ],
    [
      "are in conflict with the value that one of them has",
      [twice, apply("captain", berths(deep), { conflicts: [`mate ${a}`] }), apply("captain", berths(deep), { force: true })],
      {
        object: berths(deep, other),
        managers: { "+captain": [a, `${a}.depth`, `${a}.name`], mate: [".berths", b, `${b}.depth`, `${b}.name`] },
      },
    ],
    [
      "stay when the manager that applied one of them leaves it out",
      [apply("captain", berths(shallow, other)), twice, apply("captain", berths(other))],
      {
        object: berths(shallow, deep, other),
        managers: { "+captain": [b, `${b}.depth`, `${b}.name`], mate: [a] },
      },
    ],
  ]
  test.each(rows)("%s", (_title, writes, outcome) => {
    expect(afterWrites({ schema }, writes)).toEqual(outcome)
  })
})
