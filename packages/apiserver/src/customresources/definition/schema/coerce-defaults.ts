import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { Draft } from "../../../body/draft.ts"
import { coerceEmbeddedValue, EmbeddedMismatch } from "../../schema/embedded-resources.ts"
import { isTypeField, SchemaNode } from "../../schema/structural/schema-node.ts"
import { someSchema } from "../../schema/structural/schema-walk.ts"
import { asObject, hasDefault } from "./default-rules.ts"
import { structuralErrors, structuralFault } from "./structural-schema.ts"

/** Puts the metadata of embedded resources in the defaults of a structural schema into the form in which it is stored of every object. */
export function coerceDefaults(schema: Draft<JSONSchemaProps>): void {
  if (!someSchema(schema, hasDefault) || structuralFault(schema) !== undefined || structuralErrors(schema, "").length > 0) return
  coerceBelow(schema, asObject(schema), false)
}

function coerceBelow(schema: Draft<JSONSchemaProps>, read: JSONSchemaProps, insideMeta: boolean): void {
  const isObject = read["x-kubernetes-embedded-resource"] === true
  const inMeta = insideMeta && !isObject
  if (schema.default !== undefined && !inMeta) schema.default = coercedOrSame(schema.default, new SchemaNode(read))
  const { items, properties = {} } = schema
  if (items !== undefined) coerceBelow(items as Draft<JSONSchemaProps>, items as JSONSchemaProps, inMeta)
  for (const name of Object.keys(properties)) {
    coerceBelow(properties[name]!, properties[name]!, inMeta || (isObject && isTypeField(name)))
  }
}

/** What cannot be decoded is refused when the definition is validated. */
function coercedOrSame(value: unknown, node: SchemaNode): unknown {
  try {
    return coerceEmbeddedValue(value, node)
  } catch (error) {
    if (error instanceof EmbeddedMismatch) return value
    throw error
  }
}
