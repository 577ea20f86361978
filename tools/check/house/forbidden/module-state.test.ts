import { describe, expect, test } from "vitest"
import { findingsOf } from "../testing/tree.ts"
import { moduleStateOutside } from "./module-state.ts"

const check = (text: string) => findingsOf(moduleStateOutside([]), { "packages/a/src/b.ts": text })

describe("state", () => {
  test.each([
    ["let count = 0", "let count"],
    ["export let count = 0", "let count"],
    ["var count = 0", "var count"],
    ["const seen = new Map<string, number>()", "const seen that can change"],
    ["const seen: Set<string> = new Set()", "const seen that can change"],
    ["export const memo = new WeakMap()", "const memo that can change"],
    ["const list = []", "const list that can change"],
    ["const table: Record<string, number> = {}", "const table that can change"],
    ["const table = { a: 1 }\nexport const set = () => { table.a = 2 }", "const table that can change"],
    ["const list = [1]\nexport const more = () => list.push(2)", "const list that can change"],
    ["const table = { a: 1 }\nexport const drop = () => delete table.a", "const table that can change"],
    ["const scratch = new Uint8Array(64)\nexport const put = () => { scratch[0] = 1 }", "const scratch that can change"],
    ["export class A { static cache = 1 }", "static cache"],
    ["export class A { static readonly cache = new Map() }", "static cache"],
  ])("%s", (text, found) => {
    expect(check(text)).toEqual([
      `packages/a/src/b.ts:1 expected nothing that changes at the top of a module, found ${found}; keep it in what is constructed, or type it as read-only; a pure memo goes into tools/check/house/forbidden/state-files.ts with its reason`,
    ])
  })
})

describe("no state", () => {
  test.each([
    "const limit = 5",
    "const table = { a: 1 } as const",
    "export const table = { a: 1 }",
    "const list = [1, 2]\nexport const first = list[0]",
    "const names: ReadonlySet<string> = new Set(['a'])",
    "const names: ReadonlyMap<string, number> = new Map()",
    "const none: readonly string[] = []",
    "const none: Readonly<Record<string, string>> = {}",
    "const pattern = /x/",
    "const none = new Uint8Array()",
    "const scratch = new Uint8Array(4)\nexport const first = () => scratch[0]",
    "export function count() { let count = 0; const seen = new Map(); return [count, seen] }",
    "export class A { cache = new Map(); static readonly limit = 5; static make() {} }",
    "declare let global: string",
  ])("%s", (text) => {
    expect(check(text)).toEqual([])
  })

  test("in tests, tools and generated code everything goes", () => {
    const files = { "packages/a/src/b.test.ts": "let x = 1", "tools/b.ts": "let x = 1", "packages/a/src/generated/b.ts": "let x = 1" }
    expect(findingsOf(moduleStateOutside([]), files)).toEqual([])
  })
})

test("a listed memo is let through, and an entry that is not needed is an error", () => {
  const listed = ["memo", "gone"].map((name) => ({ file: "packages/a/src/b.ts", name, reason: "pure" }))
  expect(findingsOf(moduleStateOutside(listed), { "packages/a/src/b.ts": "const memo = new Map()" })).toEqual([
    "tools/check/house/forbidden/state-files.ts:1 expected every entry to be needed, found no state gone in packages/a/src/b.ts; remove it from the list",
  ])
})
