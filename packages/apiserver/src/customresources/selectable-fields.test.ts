import type { KubeObject } from "@pilothouse/api"
import type { CustomResourceDefinitionVersion } from "@pilothouse/api/apiextensions/v1"
import { describe, expect, test } from "vitest"
import { selectableFieldsOf } from "./strategy.ts"

const v1: CustomResourceDefinitionVersion = { name: "v1", served: true, storage: true }

function object(spec: unknown): KubeObject {
  return { apiVersion: "example.com/v1", kind: "Fleet", metadata: { name: "f" }, spec } as unknown as KubeObject
}

describe("selectable fields", () => {
  const fields = selectableFieldsOf({
    ...v1,
    selectableFields: [{ jsonPath: ".spec.color" }, { jsonPath: ".spec.deep.on" }, { jsonPath: ".spec.count" }],
  })

  test.each([
    ["spec.color", { color: "blue" }, "blue"],
    ["spec.color", {}, ""],
    ["spec.color", { color: null }, ""],
    ["spec.deep.on", { deep: { on: false } }, "false"],
    ["spec.deep.on", { deep: null }, ""],
    ["spec.count", { count: 7 }, "7"],
    ["spec.count", { count: 9223372036854775807n }, "9223372036854775807"],
  ])("%s of %o is a text", (label, spec, expected) => {
    expect(fields[label]?.(object(spec))).toBe(expected)
  })

  test("are an empty map where the version has none, so that other fields are refused", () => {
    expect(selectableFieldsOf(v1)).toEqual({})
  })
})
