import fc from "fast-check"
import type { Field, Schema } from "../../schema/schema.ts"
import { directiveKey } from "../strategic/directives.ts"

/** Any JSON, with small pools of keys and values so that two of them have much in common. */
export function arbitraryJson(options: { readonly nulls: boolean }): fc.Arbitrary<unknown> {
  const key = fc.constantFrom("a", "b", "c", "a/b", "m~n", "", "0", "-")
  const leaf = fc.constantFrom<unknown>(0, 1, "x", "y", "", true, false, ...(options.nulls ? [null] : []))
  return fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  })).value
}

/** An object of a schema: merge keys are unique in their list, sets have no element twice, nothing is null. */
export function arbitraryOf(schema: Schema, field?: Field): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case "object":
      return arbitraryFields(schema)
    case "map":
      return fc.dictionary(fc.constantFrom("a", "b", "c"), arbitraryOf(schema.items ?? { type: "string" }), { maxKeys: 3 })
    case "list":
      return arbitraryList(schema.items ?? { type: "string" }, field)
    case "integer":
      return fc.nat(4)
    case "any":
      return fc.constantFrom({}, { x: 1 })
    default:
      return fc.constantFrom("p", "q", "r", "s", "t")
  }
}

function arbitraryFields(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.fields ?? {}).map(([key, field]) => [key, arbitraryOf(field.schema, field)])
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
}

function arbitraryList(items: Schema, field: Field | undefined): fc.Arbitrary<unknown> {
  const key = field?.patchMergeKey
  if (key !== undefined)
    return fc.uniqueArray(keyed(arbitraryFields(items), items, key), { maxLength: 4, selector: (element) => element[key] })
  const elements = arbitraryOf(items)
  return field?.patchStrategy?.includes("merge") ? fc.uniqueArray(elements, { maxLength: 4 }) : fc.array(elements, { maxLength: 3 })
}

function keyed(elements: fc.Arbitrary<Record<string, unknown>>, items: Schema, key: string): fc.Arbitrary<Record<string, unknown>> {
  const name = arbitraryOf(items.fields?.[key]?.schema ?? { type: "string" })
  return fc.tuple(elements, name).map(([element, value]) => ({ ...element, [key]: value }))
}

/** A patch as a person would write it: some fields, nulls, deleted and replaced elements; no order directives. */
export function arbitraryPatchOf(schema: Schema, field?: Field): fc.Arbitrary<unknown> {
  if (schema.type === "object") return arbitraryPatchFields(schema)
  const key = field?.patchMergeKey
  if (schema.type !== "list" || key === undefined || schema.items === undefined) return arbitraryOf(schema, field)
  const change = keyed(arbitraryPatchFields(schema.items), schema.items, key)
  const deletion = keyed(fc.constant({ [directiveKey]: "delete" }), schema.items, key)
  const replacement = fc.constant<Record<string, unknown>>({ [directiveKey]: "replace" })
  const element = fc.oneof({ weight: 8, arbitrary: change }, { weight: 3, arbitrary: deletion }, { weight: 1, arbitrary: replacement })
  return fc.uniqueArray(element, { maxLength: 4, selector: (one) => one[key] })
}

function arbitraryPatchFields(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(schema.fields ?? {}).map(([key, field]) => {
    const change = arbitraryPatchOf(field.schema, field)
    return [key, fc.oneof({ weight: 6, arbitrary: change }, { weight: 1, arbitrary: fc.constant(null) })]
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
}
