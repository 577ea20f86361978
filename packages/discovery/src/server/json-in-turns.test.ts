import fc from "fast-check"
import { expect, test } from "vitest"
import { jsonInTurns } from "./json-in-turns.ts"

test("writes every value as JSON.stringify does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const bytes = await jsonInTurns(value)
      expect(new TextDecoder().decode(bytes)).toBe(`${JSON.stringify(value, undefined, 2)}\n`)
    }),
  )
})

test("makes the members of a long list in turns, and none beyond the limit", async () => {
  let made = 0
  function* long() {
    for (let at = 0; at < 100_000; at++) {
      made++
      yield { name: `outbound|80||host-${at}` }
    }
  }
  const writing = jsonInTurns({ list: long() }, 1_000_000)
  const inFirstTurn = made
  expect(inFirstTurn).toBeLessThan(2_000)
  expect(await writing).toBeUndefined()
  expect(made).toBeLessThan(30_000)
})
