import { describe, expect, test } from "vitest"
import { emptySet } from "../fieldpath/index.ts"
import { apply, History, update } from "../testing/history.ts"
import { anything, atomic, keyedBy, mapOf, number, object, setOf, text } from "../testing/schemas.ts"
import { extractItems } from "../typed/index.ts"

const schema = object({
  deck: object({ name: text, size: number }),
  decks: keyedBy(["name"], object({ name: text, crew: setOf(text) })),
  crew: setOf(text),
  rooms: mapOf(text),
  lots: atomic(setOf(text)),
  chart: atomic(mapOf(text)),
  free: anything,
})

describe("what was extracted can be applied again", () => {
  /** As a controller does: reads what it owns, changes that, and applies it. */
  function extractAndApply(history: History, manager: string, change: (object: unknown) => unknown, force = false): void {
    const own = extractItems(history.object, schema, history.managers.get(manager)?.set ?? emptySet)
    history.write(apply(manager, change(own ?? {}), { force }))
  }
  const plus = (more: object) => (object: unknown) => ({ ...(object as object), ...more })

  test("one that adds a field owns both", () => {
    const history = new History({ schema })
    history.write(apply("captain", { decks: [{ name: "a", crew: ["x"] }] }))
    extractAndApply(history, "captain", plus({ deck: { size: 1 } }))
    expect(history.outcome.managers).toEqual({
      "+captain": [".deck.size", '.decks[name="a"]', '.decks[name="a"].name', '.decks[name="a"].crew[="x"]'],
    })
  })

  test("one that begins with nothing owns what it adds", () => {
    const history = new History({ schema })
    history.write(update("mate", { deck: { name: "a" } }))
    extractAndApply(history, "captain", plus({ deck: { size: 1 } }))
    expect(history.outcome).toEqual({
      object: { deck: { name: "a", size: 1 } },
      managers: { "+captain": [".deck.size"], mate: [".deck", ".deck.name"] },
    })
  })

  test("one does not own again what an updater took", () => {
    const history = new History({ schema })
    history.write(apply("captain", { deck: { name: "a", size: 1 } }))
    history.write(update("mate", { deck: { name: "b", size: 1 } }))
    extractAndApply(history, "captain", plus({ free: 1 }))
    expect(history.outcome.managers).toEqual({ "+captain": [".free", ".deck.size"], mate: [".deck.name"] })
  })

  test("one that an updater removed does not come again", () => {
    const history = new History({ schema })
    history.write(apply("captain", { deck: { name: "a" }, free: 1 }))
    history.write(update("mate", { free: 1 }))
    extractAndApply(history, "captain", plus({}))
    expect(history.outcome).toEqual({ object: { free: 1 }, managers: { "+captain": [".free"] } })
  })

  const crewOf = (object: unknown) => (object as { readonly crew?: readonly string[] }).crew ?? []
  const hire = (name: string) => (object: unknown) => ({ ...(object as object), crew: [...crewOf(object), name] })
  const hand = (name: string) => `.crew[="${name}"]`

  test("one that begins with nothing and adds twice owns both, and loses what it leaves out of a plain apply", () => {
    const history = new History({ schema })
    extractAndApply(history, "captain", hire("ann"))
    extractAndApply(history, "captain", hire("bob"))
    expect(history.outcome).toEqual({ object: { crew: ["ann", "bob"] }, managers: { "+captain": [hand("ann"), hand("bob")] } })
    history.write(apply("captain", { crew: ["bob"] }))
    expect(history.outcome).toEqual({ object: { crew: ["bob"] }, managers: { "+captain": [hand("bob")] } })
  })

  test("one keeps what it shares with an applier that came later, and that one cannot remove it", () => {
    const history = new History({ schema })
    history.write(apply("captain", { crew: ["ann"] }))
    history.write(apply("mate", { crew: ["ann", "bob"] }))
    extractAndApply(history, "captain", hire("cid"))
    expect(history.outcome.managers).toEqual({ "+captain": [hand("ann"), hand("cid")], "+mate": [hand("ann"), hand("bob")] })
    history.write(apply("mate", { crew: ["bob"] }))
    expect(history.outcome).toEqual({
      object: { crew: ["ann", "bob", "cid"] },
      managers: { "+captain": [hand("ann"), hand("cid")], "+mate": [hand("bob")] },
    })
  })

  test.each([
    ["added beside it", ["ann", "bob"], ["ann", "bob", "cid"], [hand("ann"), hand("cid")]],
    ["put in its place", ["bob"], ["bob", "cid"], [hand("cid")]],
  ])("one goes on with what is left of its items after an updater %s", (_title, updated, crew, mine) => {
    const history = new History({ schema })
    history.write(apply("captain", { crew: ["ann"] }))
    history.write(update("mate", { crew: updated }))
    extractAndApply(history, "captain", hire("cid"))
    expect(history.outcome).toEqual({ object: { crew }, managers: { "+captain": mine, mate: [hand("bob")] } })
  })

  test("what another applier shares stays when it is left out", () => {
    const history = new History({ schema })
    history.write(apply("captain", { deck: { name: "a", size: 1 } }))
    history.write(apply("mate", { deck: { size: 1 } }))
    extractAndApply(history, "mate", () => ({}))
    expect(history.outcome.object).toEqual({ deck: { name: "a", size: 1 } })
  })

  test.each([
    { title: "list", name: "crew", both: ["x", "y"], left: ["y"], mine: ["z"], end: ["y", "z"] },
    { title: "map", name: "rooms", both: { x: "1", y: "1" }, left: { y: "1" }, mine: { z: "1" }, end: { y: "1", z: "1" } },
  ])("a $title that one begins with as null is filled and emptied by another, and one takes its own part later", (row) => {
    const { name, both, left, mine, end } = row
    const none = null
    const history = new History({ schema })
    extractAndApply(history, "captain", plus({ [name]: none }))
    expect(history.outcome).toEqual({ object: { [name]: none }, managers: { "+captain": [`.${name}`] } })
    history.write(apply("mate", { [name]: both }))
    expect(history.outcome.managers["+captain"]).toEqual([`.${name}`])
    expect(history.outcome.object).toEqual({ [name]: both })
    history.write(apply("mate", { [name]: left }))
    expect(history.outcome.object).toEqual({ [name]: left })
    extractAndApply(history, "captain", plus({ [name]: mine }))
    history.write(apply("mate", { [name]: left }))
    expect(history.outcome.object).toEqual({ [name]: end })
    expect(history.outcome.managers["+captain"]).toHaveLength(1)
    expect(history.outcome.managers["+mate"]).toHaveLength(1)
  })

  test.each([
    ["list", { lots: ["a", "b"] }, ".lots"],
    ["map", { chart: { a: "1", b: "2" } }, ".chart"],
  ])("a %s that is owned as a whole is extracted as a whole", (_kind, config, path) => {
    const history = new History({ schema })
    history.write(apply("captain", config))
    extractAndApply(history, "captain", plus({}))
    expect(history.outcome).toEqual({ object: config, managers: { "+captain": [path] } })
  })
})
