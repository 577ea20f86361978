import { any, type Codec, double, either, flag, integer, lazy, list, message, named, text } from "./gnostic-codec.ts"

type Json = Readonly<Record<string, unknown>>

const reference = message({ $ref: [1, text] })

/** Almost everything may be a reference to what stands elsewhere. */
function orReference(codec: Codec): Codec {
  return either((value) => ((value as Json).$ref === undefined ? [1, codec] : [2, reference]))
}

const schema: Codec = lazy(() => schemaMessage)
const schemaOrReference = orReference(schema)
const items: Codec = { wire: 2, encode: (value) => message({ one: [1, schemaOrReference] }).encode({ one: value }) }
const additional = either((value) => (typeof value === "boolean" ? [2, flag] : [1, schemaOrReference]))
/** A default of several parts cannot be said. */
const plainDefault = either((value) => {
  if (typeof value === "number") return [1, double]
  if (typeof value === "boolean") return [2, flag]
  return typeof value === "string" ? [3, text] : undefined
})

const schemaMessage = message(
  {
    nullable: [1, flag],
    externalDocs: [6, message({ description: [1, text], url: [2, text] })],
    example: [7, any],
    title: [9, text],
    multipleOf: [10, double],
    maximum: [11, double],
    exclusiveMaximum: [12, flag],
    minimum: [13, double],
    exclusiveMinimum: [14, flag],
    maxLength: [15, integer],
    minLength: [16, integer],
    pattern: [17, text],
    maxItems: [18, integer],
    minItems: [19, integer],
    uniqueItems: [20, flag],
    maxProperties: [21, integer],
    minProperties: [22, integer],
    required: [23, list(text)],
    enum: [24, list(any)],
    type: [25, text],
    allOf: [26, list(schemaOrReference)],
    oneOf: [27, list(schemaOrReference)],
    anyOf: [28, list(schemaOrReference)],
    not: [29, schema],
    items: [30, items],
    properties: [31, named(schemaOrReference)],
    additionalProperties: [32, additional],
    default: [33, plainDefault],
    description: [34, text],
    format: [35, text],
  },
  36,
)

const mediaTypes = named(message({ schema: [1, schemaOrReference] }))
const parameter = message(
  { name: [1, text], in: [2, text], description: [3, text], required: [4, flag], schema: [10, schemaOrReference] },
  14,
)
const requestBody = message({ description: [1, text], content: [2, mediaTypes], required: [3, flag] })
const response = message({ description: [1, text], content: [3, mediaTypes] })

const operation = message(
  {
    tags: [1, list(text)],
    description: [3, text],
    operationId: [5, text],
    parameters: [6, list(orReference(parameter))],
    requestBody: [7, orReference(requestBody)],
    responses: [8, named(orReference(response), 2)],
  },
  13,
)

const pathItem = message({
  get: [4, operation],
  put: [5, operation],
  post: [6, operation],
  delete: [7, operation],
  options: [8, operation],
  head: [9, operation],
  patch: [10, operation],
  parameters: [13, list(orReference(parameter))],
})

const securityScheme = message({ type: [1, text], description: [2, text], name: [3, text], in: [4, text] })

/** An OpenAPI v3 document in the form of github.com/google/gnostic-models, which Go's clients read. */
export const documentV3 = message({
  openapi: [1, text],
  info: [2, message({ title: [1, text], description: [2, text], version: [6, text] })],
  paths: [4, named(pathItem)],
  components: [5, message({ schemas: [1, named(schemaOrReference)], securitySchemes: [7, named(orReference(securityScheme))] })],
})
