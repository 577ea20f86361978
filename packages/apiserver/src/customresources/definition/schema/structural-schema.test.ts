import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { expect, test } from "vitest"
import { structuralErrors, structuralFault } from "./structural-schema.ts"

const text = { type: "string" } as const
const deep: JSONSchemaProps = {
  type: "object",
  properties: {
    a: { type: "object", properties: { "b.c": text } },
    m: { type: "object", additionalProperties: { type: "object", properties: { x: text } } },
    l: { type: "array", items: text },
  },
}

test("a structural schema is recognized", () => {
  expect([structuralFault(deep), structuralErrors(deep, "")]).toEqual([undefined, []])
})
