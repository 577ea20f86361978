import { expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { contractComments } from "./contract-comments.ts"

const check = (text: string, path = "packages/a/src/a.ts") => findingsOf(contractComments, { [path]: text })
const body = (lines = 8) => `{\n${"  // a line\n".repeat(lines)}}`

test.each([
  [`export function split() ${body()}`, "split"],
  [`export async function* split() ${body()}`, "split"],
  [`export class Queue ${body()}`, "Queue"],
  [`export abstract class Queue ${body()}`, "Queue"],
  [`/** Far above. */\n\nexport class Queue ${body()}`, "Queue"],
  [`/** Of another. */\nconst a = 1\nexport class Queue ${body()}`, "Queue"],
  [`export interface Queue ${body()}`, "Queue"],
  [`export type Queue =${"\n  | 1".repeat(9)}`, "Queue"],
])("%j is refused", (text, name) => {
  const line = text.split("\n").findIndex((one) => one.startsWith("export")) + 1
  expect(check(text)).toEqual([`packages/a/src/a.ts:${line} expected a comment that says what holds, found ${name}; write its contract`])
})

test.each([
  `/** Holds at most three rows. */\nexport class Queue ${body()}`,
  `/** Returns the half. */\nexport function half(a: number): number\nexport function half(a: string): string\nexport function half(a: never) ${body()}`,
  `export function short() ${body(7)}`,
  `export interface Short ${body(7)}`,
  `export interface QueueOptions ${body()}`,
  `export const table = ${body()}`,
  `export function addGetCommand() ${body()}`,
  `function inside() ${body()}`,
  'export { a } from "../b.ts"',
])("%j passes", (text) => {
  expect(check(text)).toEqual([])
})

test("everything that an index lists has a contract; constants on lines that follow each other share one", () => {
  const listed = (text: string) =>
    findingsOf(contractComments, { "packages/a/src/index.ts": 'export { a, b } from "./a.ts"\n', "packages/a/src/a.ts": text })
  expect(listed("/** The two. */\nexport const a = 1\nexport const b = 2\nexport const c = 3\n")).toEqual([])
  expect(listed("/** One. */\nexport const a = 1\n\nexport const b = 2\n")).toEqual([
    "packages/a/src/a.ts:4 expected a comment that says what holds, found b; write its contract",
  ])
  expect(listed("export const a = 1\nexport const b = 2\n")).toHaveLength(2)
  expect(listed("export interface a {}\n/** Two. */\nexport const b = 2\n")).toHaveLength(1)
})

test.each(["What it has.", "Of a pod.", "\n * Why it failed.\n"])("a contract of a function that begins with %j is refused", (contract) => {
  const [found] = /\w+/.exec(contract) ?? []
  expect(check(`/** ${contract} */\nexport function split() {}`)).toEqual([
    expect.stringContaining(`found one that begins with ${found}; begin with a verb in the third person`),
  ])
  expect(check(`/** ${contract} */\nexport const split = 1`)).toEqual([])
})

test("tests, their tools and generated files are not checked", () => {
  for (const path of ["packages/a/src/a.test.ts", "packages/a/src/testing/a.ts", "packages/a/src/generated/a.ts", "tools/a.ts"])
    expect(check(`export function split() ${body()}`, path)).toEqual([])
})
