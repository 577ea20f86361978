import type { KubeObject } from "@pilothouse/api"
import type { CustomResourceColumnDefinition } from "@pilothouse/api/apiextensions/v1"
import { describe, expect, test } from "vitest"
import { setManagedFields } from "../managedfields/object-managed-fields.ts"
import { toTable } from "../printing/table.ts"
import { customResourcePrinter, customScalePrinter } from "./printer-columns.ts"

const now = Date.UTC(2026, 0, 5, 9)
const base = { name: "v1", served: true, storage: true }

const gateway = {
  apiVersion: "example.com/v1",
  kind: "Gateway",
  metadata: { name: "edge", namespace: "default", creationTimestamp: "2026-01-05T08:55:00Z" },
  spec: {
    servers: [
      { hosts: ["foo"], ports: [1] },
      { hosts: ["bar", "baz"], ports: [2, 3] },
    ],
    replicas: 3,
    weight: 2.75,
    paused: true,
    text: "plain",
    nothing: null,
    since: "2026-01-04T20:30:00+00:00",
    later: "2026-01-06T09:00:00Z",
    unset: "",
    zero: "0001-01-01T00:00:00Z",
    broken: "yesterday",
  },
  status: {
    conditions: [
      { type: "Synced", status: "False" },
      { type: "Ready", status: "True" },
    ],
  },
} as unknown as KubeObject

function table(columns: readonly Partial<CustomResourceColumnDefinition>[], object: KubeObject = gateway) {
  const additionalPrinterColumns = columns.map((column, index) => ({ name: `c${index}`, type: "string", jsonPath: ".x", ...column }))
  const printer = customResourcePrinter({ ...base, additionalPrinterColumns })
  return toTable({ group: "example.com", kind: "Gateway", printer }, [object], { now, includeObject: "None" })
}

function cell(type: string, jsonPath: string): unknown {
  return table([{ type, jsonPath }]).rows[0]?.cells[1]
}

describe("cells of a custom resource", () => {
  test.each([
    ["string", ".spec.text", "plain"],
    ["string", ".spec.servers[0].hosts[0]", "foo"],
    ["string", ".spec.servers[1].hosts", '["bar","baz"]'],
    ["string", ".spec.servers[*].hosts", '["foo"]'],
    ["string", ".spec.servers[1].ports", "[2,3]"],
    ["string", ".spec.replicas", "3"],
    ["string", ".spec.paused", "true"],
    ["string", ".spec.nothing", "<no value>"],
    ["string", ".spec.absent", null],
    ["string", ".spec.servers[7].hosts", null],
    ["string", ".spec.text[0]", null],
    ["string", '.status.conditions[?(@.type=="Ready")].status', "True"],
    ["string", '.status.conditions[?(@.type=="Gone")].status', null],
    ["integer", ".spec.replicas", 3],
    ["integer", ".spec.weight", 2],
    ["integer", ".spec.text", null],
    ["integer", ".spec.paused", null],
    ["number", ".spec.replicas", 3],
    ["number", ".spec.weight", 2.75],
    ["number", ".spec.text", null],
    ["boolean", ".spec.paused", true],
    ["boolean", ".spec.replicas", null],
    ["boolean", ".spec.text", null],
    ["date", ".metadata.creationTimestamp", "5m"],
    ["date", ".spec.since", "12h"],
    ["date", ".spec.later", "<invalid>"],
    ["date", ".spec.unset", "<unknown>"],
    ["date", ".spec.zero", "<unknown>"],
    ["date", ".spec.broken", "<invalid>"],
    ["date", ".spec.absent", null],
    ["date", ".spec.replicas", null],
    ["date", ".spec.nothing", null],
    ["other", ".spec.text", null],
  ])("a column of type %s with %s", (type, jsonPath, expected) => {
    expect(cell(type, jsonPath)).toBe(expected)
  })

  test("show the managers of fields, which are kept beside the object", () => {
    const entry = { manager: "kubectl", operation: "Apply", apiVersion: "example.com/v1", fieldsType: "FieldsV1", fieldsV1: {} } as const
    const object = setManagedFields({ ...gateway }, [entry])
    expect(table([{ jsonPath: ".metadata.managedFields[0].manager" }], object).rows[0]?.cells).toEqual(["edge", "kubectl"])
  })
})

describe("columns of a custom resource", () => {
  test("are the name and the age by default", () => {
    const printer = customResourcePrinter(base)
    const { columnDefinitions, rows } = toTable({ group: "example.com", kind: "Gateway", printer }, [gateway], {
      now,
      includeObject: "None",
      listMeta: { resourceVersion: "7" },
    })
    expect(columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority }))).toEqual([
      { name: "Name", type: "string", format: "name", priority: 0 },
      { name: "Age", type: "date", format: "", priority: 0 },
    ])
    expect(columnDefinitions[0]).toMatchObject({ name: "Name", format: "name" })
    expect(columnDefinitions[1]?.description).toBe("The time since the object was created")
    expect(rows).toEqual([{ cells: ["edge", "5m"] }])
  })

  test("have their format, priority and description, or a description by their path", () => {
    const { columnDefinitions } = table([
      { name: "Size", type: "integer", format: "int32", description: "how many", priority: 3, jsonPath: ".spec.replicas" },
      { name: "Text", jsonPath: ".spec.text" },
    ])
    expect(columnDefinitions.slice(1)).toEqual([
      { name: "Size", type: "integer", format: "int32", description: "how many", priority: 3 },
      {
        name: "Text",
        type: "string",
        format: "",
        description: "Custom resource definition column (in JSONPath format): .spec.text",
        priority: 0,
      },
    ])
  })

  test("share what they may visit in one object", () => {
    const list = Array.from({ length: 150 }, () => ({ list: Array.from({ length: 150 }, () => ({ a: "y" })) }))
    const wide = { ...gateway, spec: { list } } as unknown as KubeObject
    const { rows } = table(
      Array.from({ length: 30 }, () => ({ jsonPath: ".spec.list[*].list[*].a" })),
      wide,
    )
    const cells = rows[0]?.cells ?? []
    expect([cells[1], cells.at(-1)]).toEqual(["y", null])
  })

  test("end before the first path that does not parse", () => {
    const { columnDefinitions, rows } = table([{ jsonPath: ".spec.text" }, { jsonPath: ".spec[" }, { jsonPath: ".spec.replicas" }])
    expect(columnDefinitions.map(({ name }) => name)).toEqual(["Name", "c0"])
    expect(rows[0]?.cells).toEqual(["edge", "plain"])
  })

  test("of a scale are the desired and available replicas", () => {
    const scale = { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" }
    const printer = customScalePrinter({ ...base, subresources: { scale } })
    const object = { ...gateway, kind: "Scale", spec: { replicas: 3 }, status: { replicas: 2 } }
    const { columnDefinitions, rows } = toTable({ group: "autoscaling", kind: "Scale", printer }, [object], { now, includeObject: "None" })
    expect(columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Desired", "Available", "Age"])
    expect(columnDefinitions[1]?.description).toBe("Number of desired replicas")
    expect(rows[0]?.cells).toEqual(["edge", 3, 2, "5m"])
  })
})
