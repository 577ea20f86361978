import type { KubeObject } from "@pilothouse/api"
import { describe, expect, test } from "vitest"
import type { FieldManagerEndpoint } from "./endpoint.ts"
import { entryOf } from "./entries.ts"
import { runSteps } from "./merge/index.ts"
import { type ManagedFields, setManagedFields } from "./object-managed-fields.ts"
import { sharedSet } from "./shared-set.ts"
import { mapOf, object, text } from "./testing/schemas.ts"
import { trackUpdate } from "./track-update.ts"

const schema = object({ metadata: object({ name: text }), data: mapOf(text) })
const endpoint: FieldManagerEndpoint = {
  apiVersion: "v1",
  kind: { group: "", version: "v1", kind: "ConfigMap" },
  subresource: "",
  schema,
  hasOwnSchema: false,
  goForm: (value) => value,
  merge: { versions: { schemaOf: () => schema, convert: (value) => value } },
  resetRoots: [],
}

const now = Date.parse("2026-01-05T09:00:00Z")
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString().replace(".000", "")
const keys = (...names: readonly string[]) => sharedSet({ "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) })
const config = (data: object) => ({ metadata: { name: "a" }, data }) as KubeObject & { readonly data: object }
const stored = (data: object, entries: readonly ManagedFields[]) => setManagedFields({ ...config(data) }, entries)
const entry = (manager: string, seconds: number, names: readonly string[], apiVersion = "v1", operation: "Apply" | "Update" = "Update") =>
  entryOf({ manager, operation, apiVersion }, at(seconds), keys(...names))

function updated(live: KubeObject | undefined, next: object, { manager = "me", seconds = 60 } = {}): readonly ManagedFields[] {
  return runSteps(trackUpdate(endpoint, { live, next, given: undefined, manager, now: now + seconds * 1000 }))
}

describe("an update", () => {
  test("of an object without managers, which was never applied, stays untracked", () => {
    expect(updated(stored({ a: "1" }, []), config({ a: "2" }))).toEqual([])
  })

  test("takes what it changes, with its time; the manager before keeps its own time", () => {
    const before = [entry("first", 1, ["a", "b"])]
    expect(updated(stored({ a: "1", b: "1" }, before), config({ a: "2", b: "1" }))).toEqual([
      entry("first", 1, ["b"]),
      entry("me", 60, ["a"]),
    ])
  })

  test("that changes nothing takes nothing and leaves all times", () => {
    const before = [entry("me", 1, ["a"]), entry("other", 2, ["b"])]
    expect(updated(stored({ a: "1", b: "1" }, before), config({ a: "1", b: "1" }))).toEqual(before)
  })

  test("of what the manager owns already moves its time alone", () => {
    const before = [entry("me", 1, ["a"]), entry("other", 2, ["b"])]
    expect(updated(stored({ a: "1", b: "1" }, before), config({ a: "2", b: "1" }))).toEqual([
      entry("other", 2, ["b"]),
      entry("me", 60, ["a"]),
    ])
  })

  test("that removes all of a manager's fields ends it", () => {
    expect(updated(stored({ a: "1", b: "1" }, [entry("first", 1, ["a"]), entry("second", 2, ["b"])]), config({ b: "1" }))).toEqual([
      entry("second", 2, ["b"]),
    ])
  })

  test("takes fields of an applier, which stays an applier of the rest", () => {
    const applied = entry("captain", 1, ["a", "b"], "v1", "Apply")
    expect(updated(stored({ a: "1", b: "1" }, [applied]), config({ a: "1", b: "2" }))).toEqual([
      entry("captain", 1, ["a"], "v1", "Apply"),
      entry("me", 60, ["b"]),
    ])
  })
})

describe("ten managers that update stay, and", () => {
  /** One for each letter, the oldest first; those of a second version where it says so. */
  const many = (versions: readonly (readonly [name: string, version?: string | undefined])[], first = 0) => ({
    data: Object.fromEntries(versions.map(([name]) => [name, "1"])),
    entries: versions.map(([name, version], index) => entry(`m-${name}`, first + index, [name], version)),
  })
  const letters = (text: string, version?: string) => [...text].map((name) => [name, version] as const)
  const outcome = (entries: readonly ManagedFields[]) =>
    entries.map(({ manager, apiVersion, time, fieldsV1 }) => [
      manager,
      apiVersion,
      time,
      Object.keys(fieldsV1["f:data"] ?? {})
        .map((name) => name.slice(2))
        .join(""),
    ])
  const write = (data: object, entries: readonly ManagedFields[]) => updated(stored(data, entries), config({ ...data, new: "1" }))

  test("the oldest of an eleventh's version are joined, with the time of the last of them", () => {
    const { data, entries } = many(letters("abcdefghij"))
    expect(outcome(write(data, entries)).slice(0, 2)).toEqual([
      ["ancient-changes", "v1", at(1), "ab"],
      ["m-c", "v1", at(2), "c"],
    ])
  })

  test("the next oldest one goes where others were joined before", () => {
    const { data, entries } = many(letters("bcdefghij"), 1)
    const ancient = entryOf({ manager: "ancient-changes", operation: "Update", apiVersion: "v1" }, at(0), keys("a"))
    expect(outcome(write({ a: "1", ...data }, [ancient, ...entries])).slice(0, 2)).toEqual([
      ["ancient-changes", "v1", at(1), "ab"],
      ["m-c", "v1", at(2), "c"],
    ])
  })

  test("managers of other versions are joined by themselves", () => {
    const { data, entries } = many([...letters("ab"), ...letters("c", "v2"), ...letters("defghij")])
    expect(outcome(write(data, entries)).slice(0, 2)).toEqual([
      ["ancient-changes", "v1", at(1), "ab"],
      ["m-c", "v2", at(2), "c"],
    ])
  })

  test("a version with one manager has nothing to join", () => {
    const { data, entries } = many([...letters("a", "v2"), ...letters("b", "v3"), ...letters("cdefghij")])
    expect(outcome(write(data, entries)).slice(0, 3)).toEqual([
      ["m-a", "v2", at(0), "a"],
      ["m-b", "v3", at(1), "b"],
      ["ancient-changes", "v1", at(3), "cd"],
    ])
  })

  test("as many versions as managers are all kept", () => {
    const { data, entries } = many([..."abcdefghij"].map((name, index) => [name, `v${index + 2}`] as const))
    expect(outcome(write(data, entries)).map(([manager]) => manager)).not.toContain("ancient-changes")
  })

  test("managers that apply are not counted", () => {
    const { data, entries } = many(letters("bcdefghij"), 1)
    const applied = entry("captain", 0, ["a"], "v1", "Apply")
    expect(write({ a: "1", ...data }, [applied, ...entries])).toHaveLength(11)
  })
})
