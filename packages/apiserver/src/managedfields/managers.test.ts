import { describe, expect, test } from "vitest"
import { entryOf, type ManagerIdentity, takenOver } from "./entries.ts"
import { decodeEntries, encodeEntries, managedOf, managerIdentity, managerKey } from "./managers.ts"
import { sharedSet } from "./shared-set.ts"

const data = (...names: readonly string[]) => sharedSet({ "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) })
const updater = (manager: string, more: Partial<ManagerIdentity> = {}): ManagerIdentity => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  ...more,
})
const at = (seconds: number) => `2026-01-05T09:00:${String(seconds).padStart(2, "0")}Z`

describe("what tells managers apart", () => {
  test.each<[ManagerIdentity, string]>([
    [updater("deckhand"), '{"manager":"deckhand","operation":"Update","apiVersion":"v1"}'],
    [{ manager: "deckhand", operation: "Apply", apiVersion: "v1" }, '{"manager":"deckhand","operation":"Apply"}'],
    [{ manager: "deckhand", operation: "Apply", subresource: "scale" }, '{"manager":"deckhand","operation":"Apply","subresource":"scale"}'],
    [{ operation: "Apply" }, '{"operation":"Apply"}'],
  ])("%j", (identity, key) => {
    expect(managerKey(identity)).toBe(key)
    expect(managerKey(managerIdentity(key))).toBe(key)
  })
})

describe("entries of a request", () => {
  const entry = { manager: "deckhand", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1: { "f:data": {} } } as const

  test.each([
    [{ operation: "Sail" }, "operation must be `Apply` or `Update`"],
    [{ operation: undefined }, "operation must be `Apply` or `Update`"],
    [{ apiVersion: undefined }, "apiVersion must not be empty"],
    [{ fieldsType: undefined }, "missing fieldsType in managed fields entry 1"],
    [{ fieldsType: "FieldsV2" }, 'invalid fieldsType "FieldsV2" in managed fields entry 1'],
  ])("with %j are refused", (change, words) => {
    expect(() => decodeEntries([entry, { ...entry, ...change } as typeof entry])).toThrow(words)
  })

  test.each([
    ["without a time", {}],
    ["with a time", { time: at(1) }],
    ["of a subresource", { time: at(1), subresource: "status" }],
    ["of an applier", { operation: "Apply" as const, time: at(1) }],
    ["without a manager", { manager: undefined }],
  ])("%s are the same after they were read and written", (_title, change) => {
    const { manager, ...given } = { ...entry, ...change }
    const whole = { ...(manager !== undefined && { manager }), ...given }
    expect(encodeEntries(decodeEntries([whole]))).toEqual([whole])
  })
})

describe("entries stand", () => {
  const names = (entries: readonly { readonly manager?: string; readonly subresource?: string }[]) =>
    entries.map(({ manager, subresource }) => [manager, subresource].filter(Boolean).join("/")).join(" ")
  const written = (...rows: readonly (readonly [identity: ManagerIdentity, time?: string])[]) =>
    encodeEntries(managedOf(rows.map(([identity, time]) => entryOf(identity, time, data("a")))))
  const applier = (manager: string, subresource = "") => ({ manager, operation: "Apply", apiVersion: "v1", subresource }) as const

  test.each([
    ["as they are where they are in order", written([applier("a")], [updater("b"), at(1)]), "a b"],
    ["appliers first", written([updater("a")], [applier("b"), at(9)]), "b a"],
    ["those without a time first", written([applier("a"), at(1)], [applier("b")]), "b a"],
    ["the newest last", written([updater("a"), at(5)], [updater("b"), at(3)]), "b a"],
    ["of one time by name", written([updater("d"), at(1)], [updater("c"), at(1)], [applier("b")], [applier("a")]), "a b c d"],
    ["of one time by the bytes of their names", written([updater("\u{1f6a2}"), at(1)], [updater("\uff5e"), at(1)]), "\uff5e \u{1f6a2}"],
    ["by their subresources at last", written([applier("a", "status")], [applier("a", "scale")], [applier("a")]), "a a/scale a/status"],
    [
      "without regard to parts of seconds",
      written([updater("c"), "2026-01-05T09:00:00.1Z"], [updater("a"), "2026-01-05T09:00:00.2Z"], [updater("b"), at(0)]),
      "a b c",
    ],
    [
      "in one order whatever comes first",
      written([updater("c"), at(2)], [applier("x")], [updater("d"), at(1)], [applier("g")], [updater("a"), at(2)], [applier("b"), at(3)]),
      "g x b d a c",
    ],
    ["nowhere where there are none", written(), ""],
  ])("%s", (_title, entries, expected) => {
    expect(names(entries)).toBe(expected)
  })
})

describe("paths that a manager takes over", () => {
  const before = [
    entryOf({ manager: "a", operation: "Apply", apiVersion: "v1" }, at(1), data("x", "y")),
    entryOf(updater("b"), at(2), data("z")),
  ]

  test("leave the others, which keep their times", () => {
    expect(takenOver(before, updater("c"), data("x"), at(3))).toEqual([
      { ...before[0], fieldsV1: data("y") },
      before[1],
      entryOf(updater("c"), at(3), data("x")),
    ])
  })

  test("end a manager that has no others", () => {
    expect(takenOver(before, updater("c"), data("z"), at(3)).map(({ manager }) => manager)).toEqual(["a", "c"])
  })

  test("leave the same entry where a manager has them already in that second", () => {
    const after = takenOver(before, updater("b"), data("z"), at(2))
    expect(after).toEqual(before)
    expect(after[1]).toBe(before[1])
  })
})
