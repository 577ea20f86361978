import type { Field, Schema } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { objectMetaSchema } from "./embedded-resources.ts"

/**
 * Returns the schema that ownership of fields and server-side apply of a custom resource work with. What no schema is for is deduced from the value: maps
 * key by key, lists as a whole.
 */
export function typedSchema(schema: JSONSchemaProps): Schema {
  return objectType(schema, false, true)
}

const anything: Schema = { type: "any" }
const text: Schema = { type: "string" }
/** Any scalar: what has a format need not be a text. */
const untyped: Schema = { type: "string", format: "date-time" }

/** What keeps unknown fields does so for everything below it. */
function typeOf(schema: JSONSchemaProps, keepsAround: boolean): Schema {
  const keeps = keepsAround || schema["x-kubernetes-preserve-unknown-fields"] === true
  switch (schema.type) {
    case "object":
      return objectType(schema, keeps, schema["x-kubernetes-embedded-resource"] === true)
    case "array":
      return listType(schema, keeps)
    case "integer":
    case "number":
    case "boolean":
      return { type: schema.type }
    case "string":
      return schema.format === undefined || schema.format === "" || schema.format === "byte" ? text : untyped
    default:
      return schema.properties === undefined ? anything : objectType(schema, keeps, false)
  }
}

function objectType(schema: JSONSchemaProps, keepsAround: boolean, isResource: boolean): Schema {
  const keeps = keepsAround || schema["x-kubernetes-preserve-unknown-fields"] === true
  const fields = fieldsOf(schema, keeps, isResource)
  const items = additionalType(schema, keeps)
  const mapType = schema["x-kubernetes-map-type"] === "atomic" ? "atomic" : undefined
  return {
    type: Object.keys(fields).length === 0 ? "map" : "object",
    fields,
    ...(items === undefined ? {} : { items }),
    ...(mapType === undefined ? {} : { mapType }),
  }
}

/** Of keys that are not declared; undefined where there may be none. */
function additionalType({ additionalProperties, properties = {} }: JSONSchemaProps, keeps: boolean): Schema | undefined {
  if (typeof additionalProperties === "object") return typeOf(additionalProperties, keeps)
  if (additionalProperties !== undefined) return additionalProperties ? anything : undefined
  return keeps || Object.keys(properties).length === 0 ? anything : undefined
}

function fieldsOf({ properties = {} }: JSONSchemaProps, keeps: boolean, isResource: boolean): Readonly<Record<string, Field>> {
  // Without a prototype, as `Schema` asks for: keys come from clients.
  const fields: Record<string, Field> = Object.assign(Object.create(null), {})
  for (const [key, schema] of Object.entries(properties)) {
    fields[key] = { schema: typeOf(schema, keeps), ...(schema.default === undefined ? {} : { default: schema.default }) }
  }
  if (isResource) Object.assign(fields, { apiVersion: { schema: text }, kind: { schema: text }, metadata: { schema: objectMetaSchema() } })
  return fields
}

function listType(schema: JSONSchemaProps, keeps: boolean): Schema {
  const { items, "x-kubernetes-list-type": kind, "x-kubernetes-list-map-keys": listMapKeys } = schema
  const itemType = items === undefined || Array.isArray(items) ? undefined : typeOf(items as JSONSchemaProps, keeps)
  return {
    type: "list",
    ...(itemType === undefined ? {} : { items: itemType }),
    ...(kind === "set" || kind === "map" ? { listType: kind } : {}),
    ...(kind === "map" && listMapKeys !== undefined ? { listMapKeys } : {}),
  }
}
