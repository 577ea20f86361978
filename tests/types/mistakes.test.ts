import { expect, test } from "vitest"
import { compile } from "./compile.ts"
import { mistakes, preamble } from "./mistakes.ts"

test("deliberate mistakes do not compile, each with one error that names it", () => {
  const [ofPreamble, ...found] = compile([preamble, ...mistakes.map(({ code }) => `${preamble}${code}\n`)])
  expect(ofPreamble).toEqual([])
  const expected = mistakes.map(({ mistake, says }) => ({ mistake, errors: [expect.stringContaining(says)] }))
  expect(mistakes.map(({ mistake }, at) => ({ mistake, errors: found[at] }))).toEqual(expected)
  expect(mistakes.length).toBeGreaterThanOrEqual(40)
}, 120_000)
