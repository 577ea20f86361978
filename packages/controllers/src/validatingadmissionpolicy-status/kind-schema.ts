import { type Descriptor, isNotFound, type Schema } from "@pilothouse/api"
import { schemaOf } from "@pilothouse/api/schemas"
import type { JsonSchema } from "@pilothouse/cel/kubernetes"
import type { Reader } from "@pilothouse/runtime"

type Kind = Pick<Descriptor, "group" | "version" | "kind">

/** How deep a schema is followed: those that contain themselves have no end. */
const maxDepth = 24

/** Returns the schema of a kind: a built-in one from the table, any other from the OpenAPI document of its group version; undefined where there is none. */
export async function schemaOfKind(kind: Kind, read: Reader): Promise<JsonSchema | undefined> {
  const builtIn = schemaOf(kind)
  return builtIn === undefined ? publishedSchema(kind, read) : jsonSchemaOf(builtIn, 0)
}

/** As upstream's OpenAPI definitions have it. A quantity has no type there, so expressions cannot read it. */
function jsonSchemaOf(schema: Schema, depth: number): JsonSchema {
  if (depth > maxDepth) return {}
  const { type, format, items, fields = {} } = schema
  if (format === "int-or-string") return { "x-kubernetes-int-or-string": true }
  if (format === "quantity") return {}
  switch (type) {
    case "object":
      return {
        type,
        properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, jsonSchemaOf(field.schema, depth + 1)])),
        required: Object.keys(fields).filter((name) => fields[name]?.required === true),
      }
    case "map":
      return { type: "object", additionalProperties: items === undefined ? true : jsonSchemaOf(items, depth + 1) }
    case "list":
      return { type: "array", items: items === undefined ? {} : jsonSchemaOf(items, depth + 1) }
    case "any":
      // Opaque values with a name are objects: RawExtension, FieldsV1.
      return schema.name === undefined ? {} : { type: "object" }
    default:
      return { type, ...(format !== undefined && { format: format === "micro-time" ? "date-time" : format }) }
  }
}

type Published = Omit<JsonSchema, "properties" | "items" | "additionalProperties" | "allOf"> & {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Published>>
  readonly items?: Published
  readonly additionalProperties?: Published | boolean
  readonly allOf?: readonly Published[]
  readonly "x-kubernetes-group-version-kind"?: readonly Kind[]
}

type Components = Readonly<Record<string, Published>>

async function publishedSchema({ group, version, kind }: Kind, read: Reader): Promise<JsonSchema | undefined> {
  const document = await documentOf(`/openapi/v3/${group === "" ? `api/${version}` : `apis/${group}/${version}`}`, read)
  const components = (document as { readonly components?: { readonly schemas?: Components } } | undefined)?.components?.schemas ?? {}
  const isKind = (one: Kind) => one.group === group && one.version === version && one.kind === kind
  const found = Object.values(components).find((schema) => schema["x-kubernetes-group-version-kind"]?.some(isKind) === true)
  return found && resolved(found, components, 0)
}

async function documentOf(path: string, read: Reader): Promise<unknown> {
  try {
    return await read.ask({ path })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** With what its references say in their place. */
function resolved(schema: Published, components: Components, depth: number): JsonSchema {
  if (depth > maxDepth) return {}
  const { $ref, properties, items, additionalProperties, allOf = [], ...rest } = schema
  const referenced = $ref ?? (allOf.length === 1 ? allOf[0]?.$ref : undefined)
  if (referenced !== undefined) return resolved(components[referenced.slice(referenced.lastIndexOf("/") + 1)] ?? {}, components, depth + 1)
  const follow = (one: Published) => resolved(one, components, depth + 1)
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, follow(one)])) }),
    ...(items && { items: follow(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: typeof additionalProperties === "object" ? follow(additionalProperties) : additionalProperties,
    }),
  }
}
