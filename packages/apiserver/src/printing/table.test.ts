import type { KubeObject } from "@pilothouse/api"
import { allDescriptors } from "@pilothouse/api/descriptors"
import { describe, expect, test } from "vitest"
import { toTable } from "./table.ts"
import { metadata, now } from "./testing/cells.ts"

describe("every kind", () => {
  test.each(allDescriptors.map((descriptor) => [`${descriptor.group}/${descriptor.version} ${descriptor.kind}`, descriptor] as const))(
    "%s fills every column",
    (_, descriptor) => {
      // An object as poor as an old one may be: nothing may throw, or one object would hide a whole table.
      const poor = {
        apiVersion: "x",
        kind: descriptor.kind,
        metadata,
        spec: { source: {}, pool: {} },
        roleRef: {},
      } as unknown as KubeObject
      const table = toTable(descriptor, [poor], { now, includeObject: "Metadata" })
      expect(table.rows[0]?.cells).toHaveLength(table.columnDefinitions.length)
      expect(table.rows[0]?.cells.includes(undefined as never)).toBe(false)
    },
  )
})

describe("what a row carries", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: {} } as KubeObject
  const row = (includeObject: "None" | "Metadata" | "Object") =>
    toTable({ group: "", kind: "ConfigMap" }, [object], { now, includeObject }).rows[0]

  test("nothing", () => expect(row("None")).toEqual({ cells: ["x", 0, "5m"] }))
  test("metadata", () => expect(row("Metadata")?.object).toEqual({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }))
  test("the object", () => expect(row("Object")?.object).toBe(object))
})

test("columns say which are for -o wide only", () => {
  const { columnDefinitions, metadata: meta } = toTable({ group: "", kind: "Pod" }, [], {
    now,
    includeObject: "None",
    listMeta: { resourceVersion: "7" },
  })
  expect(meta).toEqual({ resourceVersion: "7" })
  expect(columnDefinitions[0]).toEqual({ name: "Name", type: "string", format: "name", description: "", priority: 0 })
  expect(columnDefinitions.filter(({ priority }) => priority === 1).map(({ name }) => name)).toEqual([
    "IP",
    "Node",
    "Nominated Node",
    "Readiness Gates",
  ])
})

test("a finished pod says that nothing more will come", () => {
  const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] }, status: { phase: "Succeeded" } } as unknown as KubeObject
  expect(toTable({ group: "", kind: "Pod" }, [pod], { now, includeObject: "None" }).rows[0]?.conditions).toEqual([
    { type: "Completed", status: "True", reason: "Succeeded", message: "The pod has completed successfully." },
  ])
})
