import fc from "fast-check"
import { expect, test } from "vitest"
import { SortedKeys } from "./sorted-keys.ts"

test("is a sorted set of strings, whatever is added and taken away", () => {
  const key = fc.stringMatching(/^\/[ab]\/[a-d]{0,3}$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), key), { maxLength: 200 }), key, (steps, from) => {
      const keys = new SortedKeys()
      const model = new Set<string>()
      for (const [add, one] of steps) {
        if (!add) keys.delete(one)
        else if (!model.has(one)) keys.add(one)
        if (add) model.add(one)
        else model.delete(one)
      }
      const expected = [...model].filter((one) => one.startsWith("/a/") && one >= from).sort()
      expect([...keys.range("/a/", from)]).toEqual(expected)
      expect(keys.countAfter("/a/", from)).toBe(expected.filter((one) => one > from).length)
    }),
  )
})

test("stays sorted past many chunks", () => {
  const keys = new SortedKeys()
  const names = Array.from({ length: 5000 }, (_, index) => `/a/${(index * 7919) % 5000}`)
  for (const name of names) keys.add(name)
  expect([...keys.range("/a/")]).toEqual([...names].sort())
  keys.add("/b/1")
  expect([
    keys.countAfter("/a/", ""),
    keys.countAfter("/a/", "/a/0"),
    keys.countAfter("/a/", "/a/999"),
    keys.countAfter("/b/", ""),
  ]).toEqual([5000, 4999, 0, 1])
  for (const name of names.slice(0, 4990)) keys.delete(name)
  expect([...keys.range("/a/")]).toEqual(names.slice(4990).sort())
})
