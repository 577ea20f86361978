import { any, type Codec, double, either, flag, integer, lazy, list, message, named, text } from "./gnostic-codec.ts"

type Json = Readonly<Record<string, unknown>>

const schema: Codec = lazy(() => schemaMessage)
/** A list of one. */
const single = (codec: Codec): Codec => ({ wire: 2, encode: (value) => message({ one: [1, codec] }).encode({ one: value }) })

const schemaMessage = message(
  {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, text],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, flag],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, list(text)],
    enum: [20, list(any)],
    additionalProperties: [21, either((value) => (typeof value === "boolean" ? [2, flag] : [1, schema]))],
    type: [22, single(text)],
    items: [23, single(schema)],
    allOf: [24, list(schema)],
    properties: [25, named(schema)],
    externalDocs: [29, message({ description: [1, text], url: [2, text] })],
    example: [30, any],
  },
  31,
)

const bodyParameter = message({ description: [1, text], name: [2, text], in: [3, text], required: [4, flag], schema: [5, schema] }, 6)
const queryParameter = message(
  {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    format: [7, text],
    uniqueItems: [20, flag],
  },
  23,
)
const pathParameter = message(
  {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5, text],
    format: [6, text],
    uniqueItems: [19, flag],
  },
  22,
)

const elsewhere = either((value) => ((value as Json).in === "path" ? [4, pathParameter] : [3, queryParameter]))
const parameter = either((value) => ((value as Json).in === "body" ? [1, bodyParameter] : [2, elsewhere]))
const reference = message({ $ref: [1, text] })
const parameterItem = either((value) => ((value as Json).$ref === undefined ? [1, parameter] : [2, reference]))
const response = message({ description: [1, text], schema: [2, either(() => [1, schema])] })

const operation = message(
  {
    tags: [1, list(text)],
    description: [3, text],
    operationId: [5, text],
    produces: [6, list(text)],
    consumes: [7, list(text)],
    parameters: [8, list(parameterItem)],
    responses: [9, named(either(() => [1, response]))],
    schemes: [10, list(text)],
  },
  13,
)

const pathItem = message({
  get: [2, operation],
  put: [3, operation],
  post: [4, operation],
  delete: [5, operation],
  options: [6, operation],
  head: [7, operation],
  patch: [8, operation],
  parameters: [9, list(parameterItem)],
})

const names: Codec = { wire: 2, encode: (value) => message({ all: [1, list(text)] }).encode({ all: value }) }
const apiKey = message({ type: [1, text], name: [2, text], in: [3, text], description: [4, text] })

/**
 * A Swagger document in the form of github.com/google/gnostic-models, which Go's older clients read: `documentHead`, the paths as field 8, the definitions
 * as field 9, and `documentTail`.
 */
export const documentHead = message({ swagger: [1, text], info: [2, message({ title: [1, text], version: [2, text] })] })
export const pathEntries = named(pathItem, 2)
export const definitionEntries = named(schema)
export const documentTail = message({
  parameters: [10, named(parameter)],
  security: [12, list(named(names))],
  securityDefinitions: [13, named(either(() => [2, apiKey]))],
})
