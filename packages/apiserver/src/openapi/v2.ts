import type { ServedVersion } from "../discovery/groups.ts"
import { openApiDocument } from "./document.ts"

type Json = Readonly<Record<string, unknown>>

/** What a document of the older form consists of. */
export interface Swagger extends Json {
  readonly paths: Json
  readonly definitions: Json
}

/** Everything in one document of the older form: the documents of all group versions, said again in Swagger's words. */
export function swaggerDocument(versions: readonly ServedVersion[], release: string): Swagger {
  const documents = versions.map((version) => openApiDocument(version, release) as Json & { paths: Json; components: { schemas: Json } })
  const definitions: Json = Object.assign({}, ...documents.map(({ components }) => components.schemas))
  const paths: Json = Object.assign({}, ...documents.map((document) => document.paths))
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: release },
    paths: swaggerPaths(paths, ["*/*"]),
    definitions: sorted(mapped(definitions, schemaOf)),
    securityDefinitions: {
      BearerToken: { description: "Bearer Token authentication", type: "apiKey", name: "authorization", in: "header" },
    },
    security: [{ BearerToken: [] }],
  }
}

/** Returns paths of OpenAPI v3 in Swagger's words: operations by method, and parameters that they share. */
export function swaggerPaths(paths: Json, consumesWithoutBody: readonly string[]): Json {
  const part = (value: unknown) =>
    Array.isArray(value) ? value.map((parameter) => parameterOf(parameter as Json)) : operationOf(value as Json, consumesWithoutBody)
  return mapped(paths, (item) => mapped(item as Json, part))
}

function operationOf(operation: Json, consumesWithoutBody: readonly string[]): Json {
  const {
    requestBody,
    parameters = [],
    responses = {},
    ...rest
  } = operation as Json & { requestBody?: Content; parameters?: readonly Json[]; responses?: Json }
  const body = requestBody && {
    in: "body",
    name: "body",
    ...(requestBody.required === true && { required: true }),
    schema: contentSchema(requestBody),
  }
  const all = [...(body ? [body] : []), ...parameters.map(parameterOf)]
  return {
    ...rest,
    consumes: requestBody === undefined ? consumesWithoutBody : Object.keys(requestBody.content ?? {}),
    produces: ["application/json", "application/yaml"],
    schemes: ["https"],
    ...(all.length > 0 && { parameters: all }),
    responses: mapped(responses, (response) => responseOf(response as Content)),
  }
}

interface Content {
  readonly required?: boolean
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: unknown }>>
}

function responseOf(response: Content): Json {
  const schema = contentSchema(response)
  return { description: response.description ?? "", ...(schema !== undefined && { schema }) }
}

/** All media types of a body have the same schema. */
function contentSchema({ content }: Content): unknown {
  const [first] = Object.values(content ?? {})
  return first?.schema === undefined ? undefined : schemaOf(first.schema)
}

function parameterOf({ schema, ...rest }: Json): Json {
  return { ...rest, ...(schemaOf(schema ?? {}) as Json) }
}

/** References go elsewhere, and a value of several types is a string in a format of its own. */
function schemaOf(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(schemaOf)
  if (typeof schema !== "object" || schema === null) return schema
  const { $ref, allOf, oneOf, properties, ...rest } = schema as Json
  if (typeof $ref === "string") return { $ref: $ref.replace("#/components/schemas/", "#/definitions/") }
  // A reference with something beside it has to be wrapped there, and can have nothing beside it here.
  if (Array.isArray(allOf) && allOf.length === 1) return schemaOf(allOf[0])
  if (oneOf !== undefined) return { ...rest, type: "string" }
  // The names of properties are anything, also words of schemas: a CRD's schema has an "allOf".
  return { ...mapped(rest, schemaOf), ...(properties !== undefined && { properties: mapped(properties as Json, schemaOf) }) }
}

function mapped(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

function sorted(object: Json): Json {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
}
