import { describe, expect, test } from "vitest"
import { entryOf } from "./entries.ts"
import type { FieldPath } from "./fieldpath/index.ts"
import type { ManagedFields } from "./object-managed-fields.ts"
import { fromScale, type ReplicasPaths, toScale, workloadPaths } from "./scale-managed-fields.ts"
import { sharedSet } from "./shared-set.ts"

const [parentVersion, scaleVersion] = ["apps/v1", "autoscaling/v1"]
const time = "2026-01-05T09:00:00Z"
const paths = workloadPaths(parentVersion)
const replicas = sharedSet({ "f:spec": { "f:replicas": {} } })
const both = sharedSet({ "f:spec": { "f:paused": {}, "f:replicas": {} } })
const paused = sharedSet({ "f:spec": { "f:paused": {} } })

type Operation = "Apply" | "Update"

function entry(manager: string, operation: Operation, fields = replicas, apiVersion = parentVersion, subresource = ""): ManagedFields {
  return entryOf({ manager, operation, apiVersion, subresource }, time, fields)
}

const ofScale = (manager: string, operation: Operation) => entry(manager, operation, replicas, scaleVersion, "scale")
/** As the entries of a parent have it: the path belongs to the manager through the subresource. */
const throughScale = (manager: string, operation: Operation) =>
  entryOf({ manager, operation, apiVersion: parentVersion, subresource: "scale" }, undefined, replicas)

describe("the managers of a scale", () => {
  test("are those of its object that own the replicas, with their operations and times", () => {
    const entries = [entry("a", "Apply", both), entry("b", "Update", paused), entry("c", "Update", replicas, parentVersion, "scale")]
    expect(toScale(entries, paths)).toEqual([
      entry("a", "Apply", replicas, scaleVersion),
      entry("c", "Update", replicas, scaleVersion, "scale"),
    ])
  })

  test.each<[title: string, entries: readonly ManagedFields[], paths: ReplicasPaths]>([
    ["of a version that is not served", [entry("a", "Apply", both, "apps/v0")], paths],
    ["of a version without a scale", [entry("a", "Apply", both, "example.com/v1")], new Map([["example.com/v1", undefined]])],
    ["that own other fields", [entry("a", "Apply", paused)], paths],
  ])("are not those %s", (_title, entries, replicasPaths) => {
    expect(toScale(entries, replicasPaths)).toEqual([])
  })
})

describe("after a write of the scale its object has", () => {
  const join = (entries: readonly ManagedFields[], scale: readonly ManagedFields[]) =>
    fromScale(entries, scale, { apiVersion: parentVersion, paths })

  test.each<[first: Operation, second: Operation]>([
    ["Apply", "Update"],
    ["Apply", "Apply"],
    ["Update", "Update"],
    ["Update", "Apply"],
  ])("another manager for the replicas: %s, then %s", (first, second) => {
    expect(join([entry("a", first, both)], [ofScale("b", second)])).toEqual(
      [entry("a", first, paused), throughScale("b", second)].sort((x, y) =>
        x.operation < y.operation ? -1 : x.operation > y.operation ? 1 : x.time === undefined ? -1 : 1,
      ),
    )
  })

  test.each<[first: Operation, second: Operation]>([
    ["Apply", "Apply"],
    ["Update", "Update"],
    ["Update", "Apply"],
    ["Apply", "Update"],
  ])("the same name twice where the manager came through the scale: %s, then %s", (first, second) => {
    const joined = join([entry("a", first, both)], [ofScale("a", second)])
    expect(joined).toHaveLength(2)
    expect(joined).toEqual(expect.arrayContaining([entry("a", first, paused), throughScale("a", second)]))
  })

  test("no manager of the replicas where the scale has none", () => {
    expect(join([entry("a", "Apply", both)], [])).toEqual([entry("a", "Apply", paused)])
  })

  test("no manager any more whose only field was taken", () => {
    expect(join([entry("a", "Apply")], [ofScale("b", "Update")])).toEqual([throughScale("b", "Update")])
  })

  test("both managers where the second applied the same value", () => {
    const kept = entry("a", "Apply", replicas, scaleVersion)
    expect(join([entry("a", "Apply", both)], [kept, ofScale("b", "Apply")])).toEqual([
      throughScale("b", "Apply"),
      entry("a", "Apply", both),
    ])
  })

  test("no manager of a version that is not served any more", () => {
    expect(join([entry("a", "Apply", both), entry("old", "Apply", both, "apps/v0")], [ofScale("b", "Update")])).toEqual([
      entry("a", "Apply", paused),
      throughScale("b", "Update"),
    ])
  })
})

describe("versions that have their replicas at different places", () => {
  const inFirst: FieldPath = ["f:spec", "f:size"]
  const versions: ReplicasPaths = new Map([
    ["example.com/v1", inFirst],
    ["example.com/v2", ["f:spec", "f:replicas"]],
    ["example.com/v3", undefined],
  ])
  const size = sharedSet({ "f:spec": { "f:paused": {}, "f:size": {} } })

  test("the place is that of the manager's version, and of the request's for the new one", () => {
    const entries = [entry("a", "Apply", size, "example.com/v1"), entry("b", "Apply", both, "example.com/v2")]
    expect(fromScale(entries, [ofScale("c", "Update")], { apiVersion: "example.com/v1", paths: versions })).toEqual([
      entry("a", "Apply", paused, "example.com/v1"),
      entry("b", "Apply", paused, "example.com/v2"),
      entryOf(
        { manager: "c", operation: "Update", apiVersion: "example.com/v1", subresource: "scale" },
        undefined,
        sharedSet({ "f:spec": { "f:size": {} } }),
      ),
    ])
  })

  test("a manager of a version without a scale keeps what it owns", () => {
    const entries = [entry("a", "Apply", both, "example.com/v3")]
    const joined = fromScale(entries, [ofScale("c", "Update")], { apiVersion: "example.com/v2", paths: versions })
    expect(joined).toContainEqual(entries[0])
  })
})
