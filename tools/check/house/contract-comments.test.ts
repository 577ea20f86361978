import { expect, test } from "vitest"
import { contractComments } from "./contract-comments.ts"
import { findingsOf } from "./test-tree.ts"

const check = (text: string, path = "packages/a/src/a.ts") => findingsOf(contractComments, { [path]: text })

test.each([
  ["export function split(): void {}", "split"],
  ["export async function* split() {}", "split"],
  ["export const limit = 3", "limit"],
  ["export interface Row {}", "Row"],
  ["export type Row = string", "Row"],
  ["export class Queue {}", "Queue"],
  ["export abstract class Queue {}", "Queue"],
  ["/** Far above. */\n\nexport class Queue {}", "Queue"],
  ["/** Of another. */\nconst a = 1\nexport class Queue {}", "Queue"],
])("%j is refused", (text, name) => {
  expect(check(text)).toEqual([
    `packages/a/src/a.ts:${text.split("\n").length} expected a comment that says what holds, found ${name}; write its contract`,
  ])
})

test.each([
  "/** Holds at most three rows. */\nexport class Queue {}",
  "// Milliseconds.\nexport const limit = 3",
  "/** Returns the half. */\nexport function half(a: number): number\nexport function half(a: string): string\nexport function half(a: never) { return a }",
  "export interface QueueOptions {}",
  "function inside() {}",
  'export { a } from "./b.ts"',
])("%j passes", (text) => {
  expect(check(text)).toEqual([])
})

test("tests, their tools and generated files are not asked", () => {
  for (const path of ["packages/a/src/a.test.ts", "packages/a/src/testing/a.ts", "packages/a/src/generated/a.ts", "tools/a.ts"])
    expect(check("export const a = 1", path)).toEqual([])
})
