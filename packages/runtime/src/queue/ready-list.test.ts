import fc from "fast-check"
import { expect, test } from "vitest"
import { type Linked, ReadyList } from "./ready-list.ts"

interface Entry extends Linked<Entry> {
  readonly name: number
}

function entry(name: number, priority: number): Entry {
  return { name, priority, before: undefined, after: undefined }
}

test("model: the highest priority goes first, and what came first of one priority", () => {
  const command = fc.record({
    do: fc.constantFrom("push", "push", "shift", "remove"),
    priority: fc.integer({ min: -60, max: 60 }),
    at: fc.nat(),
  })
  const property = fc.property(fc.array(command, { maxLength: 300, size: "max" }), (commands) => {
    const list = new ReadyList<Entry>()
    let model: Entry[] = []
    commands.forEach(({ do: what, priority, at }, name) => {
      const [next] = model.toSorted((a, b) => b.priority - a.priority || a.name - b.name)
      if (what === "push") {
        const made = entry(name, priority)
        list.push(made)
        model.push(made)
      } else if (what === "shift") {
        expect(list.shift()).toBe(next)
        model = model.filter((one) => one !== next)
      } else if (model.length > 0) {
        const removed = model[at % model.length]!
        list.remove(removed)
        model = model.filter((one) => one !== removed)
        expect([removed.before, removed.after]).toEqual([undefined, undefined])
      }
      expect(list.size).toBe(model.length)
      expect(list.lines).toBeLessThanOrEqual(2 * new Set(model.map((one) => one.priority)).size + 34)
    })
  })
  fc.assert(property, { numRuns: 300 })
})

test("many priorities leave no lines behind, whether they were taken or moved", () => {
  const list = new ReadyList<Entry>()
  const held = entry(-1, 1_000_000)
  list.push(held)
  for (let name = 0; name < 1000; name++) {
    const one = entry(name, name)
    list.push(one)
    list.remove(one)
  }
  expect(list.lines).toBeLessThan(40)
  for (let name = 0; name < 1000; name++) list.push(entry(name, name))
  expect(list.lines).toBeGreaterThan(1000)
  while (list.shift() !== undefined);
  expect(list.lines).toBeLessThan(40)
})

test("50,000 entries of as many priorities take no time", () => {
  const list = new ReadyList<Entry>()
  for (let name = 0; name < 50_000; name++) list.push(entry(name, (name * 7919) % 50_000))
  const taken: number[] = []
  for (let next = list.shift(); next !== undefined; next = list.shift()) taken.push(next.priority)
  expect(taken).toHaveLength(50_000)
  expect(taken.every((priority, at) => priority === 49_999 - at)).toBe(true)
}, 10_000)
