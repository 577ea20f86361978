import { describe, expect, test } from "vitest"
import { excludePaths, includePatterns, setOfPaths } from "../fieldpath/index.ts"
import { afterWrites, apply, History, update } from "../testing/history.ts"
import { anything, atomic, keyedBy, mapOf, number, object, setOf, text, withDefault } from "../testing/schemas.ts"

// "v1" calls the field "sails", "v2" calls it "canvas".
const [first, second] = [object({ name: text, sails: mapOf(number) }), object({ name: text, canvas: mapOf(number) })]

function renamed(value: unknown, version: string): unknown {
  const { sails, canvas, ...rest } = value as { readonly sails?: unknown; readonly canvas?: unknown }
  const area = sails ?? canvas
  return area === undefined ? rest : { ...rest, [version === "v1" ? "sails" : "canvas"]: area }
}

const renaming = { schema: first, schemas: { v1: first, v2: second }, convert: renamed }

describe("versions that name a field differently", () => {
  test("a field is pruned in the version that it was applied in", () => {
    const writes = [apply("captain", { name: "Ida", sails: { main: 1 } }), apply("captain", { name: "Ida" }, { version: "v2" })]
    expect(afterWrites(renaming, writes).object).toEqual({ name: "Ida" })
  })

  test("a field that another manager owns under its other name stays", () => {
    const writes = [
      apply("captain", { name: "Ida", sails: { main: 1 } }),
      apply("mate", { canvas: { main: 1 } }, { version: "v2" }),
      apply("captain", { name: "Ida" }),
    ]
    expect(afterWrites(renaming, writes)).toEqual({
      object: { name: "Ida", sails: { main: 1 } },
      managers: { "+captain": [".name"], "+mate": [".canvas.main"] },
    })
  })

  test("a conflict is named as the owner's version has it", () => {
    const writes = [
      apply("captain", { sails: { main: 1 } }),
      apply("mate", { canvas: { main: 2 } }, { version: "v2", conflicts: ["captain .sails.main"] }),
      update("pilot", { canvas: { main: 3 } }, { version: "v2" }),
    ]
    expect(afterWrites(renaming, writes).managers).toEqual({ pilot: [".canvas.main"] })
  })
})

describe("whatever the versions of the requests", () => {
  const versions = ["v1", "v2"] as const
  const all = versions.flatMap((one) => versions.flatMap((two) => versions.map((three) => [one, two, three] as const)))
  const area = (version: string, size: number) => (version === "v1" ? { sails: { main: size } } : { canvas: { main: size } })
  const field = (version: string) => (version === "v1" ? ".sails.main" : ".canvas.main")
  const inVersion = (object: unknown, version: string) => renamed(object, version)

  test.each(all)("what its only owner leaves out goes (%s, %s, read in %s)", (one, two, three) => {
    const writes = [
      apply("captain", { name: "Ida", ...area(one, 1) }, { version: one }),
      apply("captain", { name: "Ida" }, { version: two }),
    ]
    const { object: left, managers } = afterWrites(renaming, writes)
    expect(inVersion(left, three)).toEqual({ name: "Ida" })
    expect(managers).toEqual({ "+captain": [".name"] })
  })

  test.each(all)("what another applier owns stays (%s, %s, %s)", (one, two, three) => {
    const writes = [
      apply("captain", { name: "Ida", ...area(one, 1) }, { version: one }),
      apply("mate", area(two, 1), { version: two }),
      apply("captain", { name: "Ida" }, { version: three }),
    ]
    const { object: left, managers } = afterWrites(renaming, writes)
    expect(inVersion(left, three)).toEqual({ name: "Ida", ...area(three, 1) })
    expect(managers).toEqual({ "+captain": [".name"], "+mate": [field(two)] })
  })

  test.each(all)("what an updater owns stays (%s, %s, %s)", (one, two, three) => {
    const both = (version: string) => ({ name: "Ida", ...area(version, 1) })
    const writes = [
      update("mate", both(one), { version: one }),
      apply("captain", both(two), { version: two }),
      apply("captain", { name: "Ida" }, { version: three }),
    ]
    const { object: left, managers } = afterWrites(renaming, writes)
    expect(inVersion(left, three)).toEqual({ name: "Ida", ...area(three, 1) })
    expect(managers).toMatchObject({ "+captain": [".name"], mate: expect.arrayContaining([".name", field(one)]) })
  })

  test.each(all)("an updater takes what it changes (%s, %s, read in %s)", (one, two, three) => {
    const writes = [
      apply("captain", { name: "Ida", ...area(one, 1) }, { version: one }),
      update("mate", { name: "Ida", ...area(two, 2) }, { version: two }),
    ]
    const { object: left, managers } = afterWrites(renaming, writes)
    expect(inVersion(left, three)).toEqual({ name: "Ida", ...area(three, 2) })
    expect(managers).toEqual({ "+captain": [".name"], mate: [field(two)] })
  })
})

test("a version that cannot be made without a field of the other is not asked for what pruning leaves without it", () => {
  const [old, young] = [object({ name: text, mast: text }), object({ name: text, pole: text })]
  const convert = (value: unknown, version: string) => {
    const { mast, pole, ...rest } = value as { readonly mast?: string; readonly pole?: string }
    const spar = mast ?? pole
    if (version === "v1" && spar === undefined) throw new Error("v1 cannot be without a mast")
    return { ...rest, ...(spar !== undefined && { [version === "v1" ? "mast" : "pole"]: spar }) }
  }
  const writes = [
    apply("captain", { pole: "oak" }, { version: "v2" }),
    apply("mate", { name: "Ida" }, { version: "v1" }),
    apply("captain", { pole: "ash" }, { version: "v2" }),
  ]
  expect(afterWrites({ schema: old, schemas: { v1: old, v2: young }, convert }, writes)).toEqual({
    object: { name: "Ida", pole: "ash" },
    managers: { "+captain": [".pole"], "+mate": [".name"] },
  })
})

test("of what was applied in a version that is gone nothing is removed", () => {
  const crews = object({ crew: setOf(text) })
  const writes = [apply("captain", { crew: ["ann", "bob"] })]
  const later = new History({ schema: crews, schemas: { v1: undefined } })
  const before = new History({ schema: crews })
  for (const write of writes) before.write(write)
  Object.assign(later, { object: before.object, managers: before.managers })
  later.write(apply("captain", { crew: ["ann"] }, { version: "v2" }))
  expect(later.outcome).toEqual({ object: { crew: ["ann", "bob"] }, managers: { "+captain": ['.crew[="ann"]'] } })
})

test("managers of a version that is gone are dropped", () => {
  const history = new History({ schema: anythingGoes, schemas: {} })
  history.write(update("old", { a: 0 }, { version: "v1" }))
  history.write(update("middle", { a: 0, b: 0 }, { version: "v2" }))
  const later = new History({ schema: anythingGoes, schemas: { v1: undefined } })
  later.object = history.object
  later.managers = history.managers
  later.write(update("new", { a: 0, b: 0, c: 0 }, { version: "v3" }))
  expect(later.outcome.managers).toEqual({ middle: [".b"], new: [".c"] })
})

const anythingGoes = object({}, { items: anything })

describe("fields that do not count", () => {
  const schema = object({ spec: object({ a: text, b: text }), status: object({ a: text }) })
  const noStatus = { schema, filter: () => excludePaths(setOfPaths([["f:status"]])) }

  test("an update does not own them, nor what is below", () => {
    const writes = [update("mate", { spec: { a: "1" }, status: { a: "1" } })]
    expect(afterWrites(noStatus, writes).managers).toEqual({ mate: [".spec", ".spec.a"] })
  })

  test("an apply does not own them, although it sets them", () => {
    const writes = [apply("captain", { spec: { a: "1" }, status: { a: "1" } })]
    expect(afterWrites(noStatus, writes)).toEqual({
      object: { spec: { a: "1" }, status: { a: "1" } },
      managers: { "+captain": [".spec.a"] },
    })
  })

  test("neither takes them from another manager, and there is no conflict", () => {
    const history = new History({ schema })
    history.write(update("kubelet", { spec: { a: "1" }, status: { a: "1" } }))
    const filtered = new History(noStatus)
    Object.assign(filtered, { object: history.object, managers: history.managers })
    filtered.write(apply("captain", { status: { a: "2" } }))
    filtered.write(update("mate", { spec: { a: "1" }, status: { a: "3" } }))
    expect(filtered.outcome.managers).toEqual({ kubelet: [".spec", ".status", ".spec.a", ".status.a"] })
  })

  test("each version has its own", () => {
    const filter = (version: string) => (version === "v2" ? excludePaths(setOfPaths([["f:spec", "f:b"]])) : undefined)
    const writes = [apply("one", { spec: { a: "1", b: "1" } }), apply("two", { spec: { a: "1", b: "1" } }, { version: "v2" })]
    expect(afterWrites({ schema, filter }, writes).managers).toEqual({ "+one": [".spec.a", ".spec.b"], "+two": [".spec.a"] })
  })

  test("an endpoint may let only some through", () => {
    const filter = () => includePatterns([["spec", "b"]])
    const writes = [update("mate", { spec: { a: "1", b: "1" } }), apply("captain", { spec: { a: "1", b: "1" } })]
    expect(afterWrites({ schema, filter }, writes).managers).toEqual({ "+captain": [".spec.b"], mate: [".spec", ".spec.b"] })
  })
})

describe("a schema that changes", () => {
  const granular = object({ hold: mapOf(number), crew: setOf(text), berth: object({ name: text }), keel: text })
  const whole = object({ hold: atomic(mapOf(number)), crew: atomic(setOf(text)), berth: atomic(object({ name: text })), keel: text })
  const config = { hold: { tea: 1 }, crew: ["Ida"], berth: { name: "a" }, keel: "oak" }

  test("what was owned in parts and is atomic now is owned as a whole", () => {
    const writes = [apply("captain", config), apply("mate", { hold: { tea: 1 } }), apply("captain", config, { schema: whole })]
    expect(afterWrites({ schema: granular }, writes).managers).toEqual({
      "+captain": [".berth", ".crew", ".hold", ".keel"],
      "+mate": [".hold"],
    })
  })

  test("a change of what is atomic now is a conflict with each that owned a part", () => {
    const writes = [apply("captain", config), apply("mate", { crew: ["Ida", "Ada"] }, { schema: whole, conflicts: ["captain .crew"] })]
    expect(afterWrites({ schema: granular }, writes).object).toEqual(config)
  })

  test("what was atomic and is not any more is owned as a whole until it is applied again", () => {
    const writes = [update("mate", config), apply("captain", { hold: { silk: 2 } }, { schema: granular })]
    expect(afterWrites({ schema: whole }, writes)).toEqual({
      object: { ...config, hold: { tea: 1, silk: 2 } },
      managers: { "+captain": [".hold.silk"], mate: [".berth", ".crew", ".hold", ".keel"] },
    })
  })

  test("a key that is new and has a default finds the items that were there", () => {
    const [before, after] = [["name"], ["name", "side"]].map((keys) =>
      object({ slips: keyedBy(keys, object({ name: text, side: withDefault(text, "port"), depth: number })) }),
    )
    const writes = [
      apply("captain", { slips: [{ name: "a", depth: 1 }] }),
      apply(
        "captain",
        {
          slips: [
            { name: "a", depth: 2 },
            { name: "a", side: "star", depth: 3 },
          ],
        },
        { schema: after },
      ),
    ]
    expect(afterWrites({ schema: before! }, writes).object).toEqual({
      slips: [
        { name: "a", depth: 2 },
        { name: "a", side: "star", depth: 3 },
      ],
    })
  })

  test("a key that is new and has no default makes another item", () => {
    const [before, after] = [["name"], ["name", "side"]].map((keys) =>
      object({ slips: keyedBy(keys, object({ name: text, side: text, depth: number })) }),
    )
    const writes = [
      apply("captain", { slips: [{ name: "a", depth: 1 }] }),
      apply(
        "captain",
        {
          slips: [
            { name: "a", depth: 2 },
            { name: "a", side: "star" },
          ],
        },
        { schema: after },
      ),
    ]
    expect(afterWrites({ schema: before! }, writes).object).toEqual({
      slips: [
        { name: "a", depth: 2 },
        { name: "a", side: "star" },
      ],
    })
  })

  test("an item that is the same under the new key is merged with the one that was there", () => {
    const [before, after] = [["name"], ["name", "side"]].map((keys) =>
      object({ slips: keyedBy(keys, object({ name: text, side: text, depth: number })) }),
    )
    const writes = [
      apply("captain", { slips: [{ name: "a", side: "port", depth: 1 }] }),
      apply("mate", { slips: [{ name: "a", side: "port" }] }, { schema: after }),
      apply("captain", { slips: [{ name: "a", side: "port", depth: 2 }] }),
    ]
    expect(afterWrites({ schema: before! }, writes).object).toEqual({ slips: [{ name: "a", side: "port", depth: 2 }] })
  })

  test("an item that differs under the new key alone is another one", () => {
    const [before, after] = [["name"], ["name", "side"]].map((keys) =>
      object({ slips: keyedBy(keys, object({ name: text, side: text, depth: number })) }),
    )
    const [port, star] = [
      { name: "a", side: "port", depth: 1 },
      { name: "a", side: "star", depth: 2 },
    ]
    const writes = [apply("captain", { slips: [port] }), apply("captain", { slips: [port, star] }, { schema: after })]
    expect(afterWrites({ schema: before! }, writes).object).toEqual({ slips: [port, star] })
  })

  test("a manager of the place alone owns it as a whole when it is atomic now", () => {
    const writes = [update("mate", { berth: {} }), apply("captain", { keel: "oak" }, { schema: whole })]
    expect(afterWrites({ schema: granular }, writes).managers).toEqual({ "+captain": [".keel"], mate: [".berth"] })
  })
})

test("a map that is owned as a whole is taken as a whole by force", () => {
  const schema = object({ hold: atomic(mapOf(number)) })
  const writes = [
    apply("captain", { hold: { tea: 1 } }),
    apply("mate", { hold: { silk: 1 } }, { conflicts: ["captain .hold"] }),
    apply("mate", { hold: { silk: 1 } }, { force: true }),
  ]
  expect(afterWrites({ schema }, writes)).toEqual({ object: { hold: { silk: 1 } }, managers: { "+mate": [".hold"] } })
})
