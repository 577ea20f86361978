import { deepEqual } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { coerceEmbeddedValue } from "../../schema/embedded-resources.ts"
import { prune } from "../../schema/prune.ts"
import { isJsonObject, type JsonObject } from "../../schema/structural/changed-value.ts"
import { SchemaNode } from "../../schema/structural/schema-node.ts"
import { itemsOf, schemaOr, someSchema } from "../../schema/structural/schema-walk.ts"
import { asObject, hasDefault, type Steps, wrapped } from "./default-rules.ts"

/** Whether a schema has a default with fields that the schema does not declare; false where that cannot be said. */
export function hasUnprunedDefaults(schema: JSONSchemaProps): boolean {
  if (!someSchema(schema, hasDefault) || (schema.default !== undefined && !isJsonObject(schema.default))) return false
  return isUnprunedBelow(schema, [], new SchemaNode(asObject(schema)))
}

function isUnprunedBelow(schema: JSONSchemaProps, steps: Steps, root: SchemaNode): boolean {
  if (schema.default !== undefined && isUnpruned(schema.default, steps, root)) return true
  const { properties = {} } = schema
  const [items, others] = [itemsOf(schema), schemaOr(schema.additionalProperties)]
  if (others !== undefined && isUnprunedBelow(others, [...steps, "*"], root)) return true
  if (items !== undefined && isUnprunedBelow(items, [...steps, 0], root)) return true
  return Object.keys(properties).some((name) => isUnprunedBelow(properties[name]!, [...steps, name], root))
}

function isUnpruned(value: unknown, steps: Steps, root: SchemaNode): boolean {
  const coerced = coerceEmbeddedValue(wrapped(value, steps), root, { dropInvalid: true }) as JsonObject
  return !deepEqual(unwrapped(prune(coerced, root, undefined), steps), value)
}

function unwrapped(value: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>((inner, step) => (inner as Readonly<Record<string | number, unknown>> | undefined)?.[step], value)
}
