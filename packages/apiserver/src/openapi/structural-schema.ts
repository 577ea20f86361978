import { deepEqual } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { SchemaObject } from "./property.ts"

/** The versions of OpenAPI differ in what they can say of a schema, and in where their references go. */
export type OpenApiVersion = "v2" | "v3"

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"
const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"

/** What every object has, in the words that kubectl explain shows for it. */
export const typeMeta: Readonly<Record<"apiVersion" | "kind", SchemaObject>> = {
  apiVersion: {
    description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
    type: "string",
  },
  kind: {
    description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
    type: "string",
  },
}

export function metadataOf(version: OpenApiVersion): SchemaObject {
  return described(`${meta}.ObjectMeta`, `Standard object's metadata. More info: ${conventions}#metadata`, version)
}

export function listMetadataOf(version: OpenApiVersion): SchemaObject {
  return described(`${meta}.ListMeta`, `Standard list metadata. More info: ${conventions}#types-kinds`, version)
}

/** "List of widgets. More info: …", which is what an array of objects is for. */
export function itemsOf(plural: string, type: string, version: OpenApiVersion): SchemaObject {
  const description = `List of ${plural}. More info: ${conventions}`
  return { description, type: "array", items: { $ref: referenceTo(type, version) } }
}

export function referenceTo(type: string, version: OpenApiVersion): string {
  return `#/${version === "v2" ? "definitions" : "components/schemas"}/${type}`
}

/** In v3 a reference may have nothing beside it. */
function described(type: string, description: string, version: OpenApiVersion): SchemaObject {
  const reference = { $ref: referenceTo(type, version) }
  return version === "v2" ? { description, ...reference } : { description, allOf: [reference] }
}

/** Returns the schema of a custom resource, or of a part of one, as a document of OpenAPI says it. */
export function structuralSchema(schema: JSONSchemaProps, version: OpenApiVersion): SchemaObject {
  return version === "v2" ? schemaV2(schema) : schemaV3(schema)
}

function schemaV3(schema: JSONSchemaProps): SchemaObject {
  const found = keywords(schema)
  addJunctors(found, unfolded(schema))
  addDefault(found, schema)
  addChildren(found, schema, schemaV3)
  return schema["x-kubernetes-embedded-resource"] === true ? embedded(found, "v3") : found
}

/**
 * OpenAPI v2, as kubectl reads it, has no alternatives and no nulls: a value that may be null has no type, one with unknown fields has none that are
 * known, and a list says what it holds or is none. Defaults are left out, as for every kind.
 */
function schemaV2(schema: JSONSchemaProps): SchemaObject {
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true
  const hasChildren = schema.nullable !== true && !isOpen
  const found = keywords(schema)
  addChildren(found, hasChildren ? schema : { additionalProperties: schema.additionalProperties }, schemaV2)
  delete found.nullable
  if (!isTypedV2(schema, isOpen)) delete found.type
  if (found.required !== undefined) addRequired(found, requiredV2(schema, hasChildren))
  return schema["x-kubernetes-embedded-resource"] === true && !isOpen ? embedded(found, "v2") : found
}

function addRequired(found: Record<string, unknown>, required: readonly string[]): void {
  if (required.length > 0) found.required = required
  else delete found.required
}

function isTypedV2({ nullable = false, type, items }: JSONSchemaProps, isOpen: boolean): boolean {
  if (nullable) return false
  return isOpen ? type !== "object" && type !== "array" : type !== "array" || items !== undefined
}

/** A field that may be null cannot be required there. */
function requiredV2({ required = [], properties = {}, additionalProperties }: JSONSchemaProps, hasChildren: boolean): readonly string[] {
  if (isSchema(additionalProperties) && additionalProperties.nullable === true) return []
  return hasChildren ? required.filter((name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable === true)) : required
}

/** What stands for itself: everything but schemas and defaults. Go leaves out what is empty, false, or null. */
function keywords(schema: JSONSchemaProps): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [word, value] of Object.entries(schema)) if (copied.has(word) && isGiven(value)) found[word] = value
  return found
}

const copied: ReadonlySet<string> = new Set([
  "description",
  "type",
  "title",
  "format",
  "nullable",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "required",
  "externalDocs",
  "example",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-list-type",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
])

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false && !(Array.isArray(value) && value.length === 0)
}

function addDefault(found: Record<string, unknown>, { default: value }: JSONSchemaProps): void {
  if (value !== undefined && value !== null) found.default = value
}

type Convert = (schema: JSONSchemaProps) => SchemaObject

function addChildren(
  found: Record<string, unknown>,
  { items, properties = {}, additionalProperties }: JSONSchemaProps,
  convert: Convert,
): void {
  if (isSchema(items)) found.items = convert(items)
  const entries = Object.entries(properties)
  if (entries.length > 0) found.properties = Object.fromEntries(entries.map(([name, schema]) => [name, convert(schema)]))
  if (isSchema(additionalProperties)) found.additionalProperties = convert(additionalProperties)
  else if (additionalProperties !== undefined) found.additionalProperties = additionalProperties
}

function isSchema(value: unknown): value is JSONSchemaProps {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

type Junctors = Pick<JSONSchemaProps, "allOf" | "anyOf" | "oneOf" | "not">

function addJunctors(found: Record<string, unknown>, { allOf = [], anyOf = [], oneOf = [], not }: Junctors): void {
  if (allOf.length > 0) found.allOf = allOf.map(nested)
  if (anyOf.length > 0) found.anyOf = anyOf.map(nested)
  if (oneOf.length > 0) found.oneOf = oneOf.map(nested)
  if (not) found.not = nested(not)
}

/** A schema in an alternative only restricts values; what it would say of other properties is not shown. */
function nested(schema: JSONSchemaProps): SchemaObject {
  const found = keywords(schema)
  addJunctors(found, schema)
  addDefault(found, schema)
  addChildren(found, { items: schema.items, properties: schema.properties }, nested)
  return found
}

const integerOrText: readonly JSONSchemaProps[] = [{ type: "integer" }, { type: "string" }]

/** Says of an integer or text what it is, where the schema leaves that to its extension. */
function unfolded(schema: JSONSchemaProps): Junctors {
  const { allOf = [], anyOf = [] } = schema
  if (schema["x-kubernetes-int-or-string"] !== true) return schema
  if (deepEqual(anyOf, integerOrText) || deepEqual(allOf[0]?.anyOf ?? [], integerOrText)) return schema
  return anyOf.length === 0 ? { ...schema, anyOf: integerOrText } : { ...schema, allOf: [{ anyOf: integerOrText }, ...allOf] }
}

/** An object in an object has a kind of its own. */
function embedded(schema: SchemaObject, version: OpenApiVersion): SchemaObject {
  const { properties = {}, required = [] } = schema as { readonly properties?: SchemaObject; readonly required?: readonly string[] }
  const missing = ["kind", "apiVersion"].filter((name) => !required.includes(name))
  return {
    ...schema,
    properties: {
      ...properties,
      apiVersion: {
        description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
        type: "string",
      },
      kind: {
        description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
        type: "string",
      },
      metadata: metadataOf(version),
    },
    required: [...required, ...missing],
  }
}
