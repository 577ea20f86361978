import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { below, type Field, refuse } from "./field.ts"
import { intOrString, variants, withoutNull } from "./unions.ts"
import { type JsonSchema, refused } from "./zod-schema.ts"

/** Formats that kube-apiserver checks and that mean what zod means by them. Others are held by their pattern alone. */
const formats: ReadonlySet<string> = new Set([
  "date",
  "date-time",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uri",
  "uuid",
  "int32",
  "int64",
  "byte",
  "password",
])
/** Formats of .meta({ format }) that zod has no function for, or another meaning. */
const writtenFormats: ReadonlySet<string> = new Set([
  ...formats,
  "cidr",
  "mac",
  "duration",
  "float",
  "double",
  "k8s-short-name",
  "k8s-long-name",
])

/** What is read elsewhere, or says nothing to a server. */
const dropped: ReadonlySet<string> = new Set([
  "$schema",
  "$defs",
  "id",
  "readOnly",
  "writeOnly",
  "deprecated",
  "examples",
  "propertyNames",
  "contentEncoding",
])
/** Keywords that both have, with the same meaning. */
const shared: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "example",
  "multipleOf",
  "minProperties",
  "maxProperties",
  "minItems",
  "maxItems",
])

/** Turns what zod writes into the schema of a CustomResourceDefinition. Throws INVALID with the name of the field for what it cannot hold. */
export function structuralSchema(schema: JsonSchema, at: Field): JSONSchemaProps {
  const whole = { ...at, defs: at.defs ?? schema.$defs ?? {} }
  const { schema: read, at: here } = resolved(schema, whole)
  const marked = read[refused]
  if (marked !== undefined) throw refuse(here, marked.found, marked.advice)
  const { one, nullable } = withoutNull(read)
  const made = one === read ? typed(read, here) : { ...structuralSchema(one, here), ...annotations(read) }
  return nullable ? orNull(made, here) : made
}

/** Servers find null in no enum, `nullable` or not, and in every branch of `oneOf`. */
function orNull(made: JSONSchemaProps, at: Field): JSONSchemaProps {
  if (made.oneOf !== undefined) throw refuse(at, "a union that may be null", "use .optional()")
  if (made.enum !== undefined) throw refuse(at, "an enum that may be null, which servers refuse", "use .optional()")
  return { ...made, nullable: true }
}

/** Follows references: to schemas with an `id`, which are written in place, and to the schema itself, which are refused. */
function resolved(schema: JsonSchema, at: Field): { readonly schema: JsonSchema; readonly at: Field } {
  const { $ref, ...rest } = schema
  if ($ref === undefined) return { schema, at }
  const { defs = {}, references = [] } = at
  const found =
    defs[
      $ref
        .replace(/^#\/\$defs\//, "")
        .replaceAll("~1", "/")
        .replaceAll("~0", "~")
    ]
  if (found === undefined || references.includes($ref))
    throw refuse(
      at,
      "a schema that contains itself",
      'write z.unknown().meta({ type: "object", "x-kubernetes-preserve-unknown-fields": true })',
    )
  return resolved({ ...found, ...rest }, { ...at, references: [...references, $ref] })
}

function typed(schema: JsonSchema, at: Field): JSONSchemaProps {
  if (schema.oneOf !== undefined) return { ...variants(schema.oneOf, at, structuralSchema), ...annotations(schema) }
  if (intOrString(schema)) return { "x-kubernetes-int-or-string": true, ...annotations(schema) }
  if (schema.anyOf !== undefined)
    throw refuse(at, "a union without a discriminator", "use z.discriminatedUnion(), or one object with optional fields and a rule")
  const keywords = { ...annotations(schema), ...scalarKeywords(schema, at) }
  if (schema.type === "object") return { type: "object", ...keywords, ...objectKeywords(schema, at) }
  if (schema.type === "array") return { type: "array", ...keywords, items: itemsOf(schema, at) }
  if (typeof schema.type === "string" && schema.type !== "null") return { type: schema.type, ...keywords }
  if (schema["x-kubernetes-preserve-unknown-fields"] === true || schema["x-kubernetes-int-or-string"] === true) return keywords
  if (schema.allOf !== undefined) throw refuse(at, "an intersection", "use .extend()")
  if (schema.type === "null") throw refuse(at, "z.null() alone", "use .nullable() of a type")
  throw refuse(at, "any value", 'write the type, or .meta({ "x-kubernetes-preserve-unknown-fields": true }) to store any JSON')
}

/** Descriptions, defaults and Kubernetes' own keywords, as they are. */
function annotations(schema: JsonSchema): JSONSchemaProps {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) => value !== undefined && (shared.has(key) || (key.startsWith("x-kubernetes-") && !dropped.has(key))),
    ),
  )
}

function objectKeywords({ properties = {}, required = [], additionalProperties, propertyNames }: JsonSchema, at: Field): JSONSchemaProps {
  if (propertyNames !== undefined && Object.keys(propertyNames).some((key) => key !== "type"))
    throw refuse(at, "a record with keys of its own", 'use z.record(z.string(), …) and a rule: "self.all(key, …)"')
  const names = Object.keys(properties)
  const fields = Object.fromEntries(names.map((name) => [name, structuralSchema(properties[name]!, below(at, `.${name}`))]))
  return {
    ...(required.length > 0 && { required: [...required] }),
    ...(names.length > 0 && { properties: fields }),
    ...otherFields(additionalProperties, names.length > 0, at),
  }
}

/** Servers remove fields that a schema does not have, or refuse them where the client asks for it: strict and plain objects are the same. */
function otherFields(additional: JsonSchema["additionalProperties"], hasFields: boolean, at: Field): JSONSchemaProps {
  if (additional === undefined || additional === false) return {}
  if (additional === true || Object.keys(additional).length === 0) return { "x-kubernetes-preserve-unknown-fields": true }
  if (hasFields) throw refuse(at, "an object with a catchall", "use z.record(z.string(), …) in a field of its own, or z.looseObject()")
  return { additionalProperties: structuralSchema(additional, below(at, "[*]")) }
}

function itemsOf({ items, prefixItems }: JsonSchema, at: Field): JSONSchemaProps {
  if (prefixItems !== undefined) throw refuse(at, "a tuple", "use z.object() with a name for each item, or z.array() of one type")
  return structuralSchema(items ?? {}, below(at, "[]"))
}

type Keywords = { -readonly [Name in keyof JSONSchemaProps]: JSONSchemaProps[Name] }

/** Enums, lengths, patterns, formats and bounds. */
function scalarKeywords(schema: JsonSchema, at: Field): JSONSchemaProps {
  return { ...enumOf(schema), ...lengths(schema), ...textKeywords(schema, at), ...bounds(schema) }
}

function enumOf(schema: JsonSchema): JSONSchemaProps {
  if (Object.hasOwn(schema, "const")) return { enum: [schema.const] }
  return schema.enum === undefined ? {} : { enum: [...schema.enum] }
}

function lengths({ minLength, maxLength }: JsonSchema): JSONSchemaProps {
  return { ...(typeof minLength === "number" && { minLength }), ...(typeof maxLength === "number" && { maxLength }) }
}

function textKeywords(schema: JsonSchema, at: Field): JSONSchemaProps {
  const { type, allOf = [], pattern, format } = schema
  if (type !== "string") return {}
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...allOf.flatMap((one) => one.pattern ?? [])]
  if (patterns.some(needsLookaround))
    throw refuse(
      at,
      "a regular expression that RE2 does not have (lookahead, lookbehind or a backreference)",
      "write a plain one, or a rule",
    )
  const kept = format !== undefined && (formats.has(format) || (writtenFormats.has(format) && patterns.length === 0))
  if (format !== undefined && !kept && patterns.length === 0)
    throw refuse(at, `the format ${format}`, `use one of ${[...writtenFormats].join(", ")}, or a pattern`)
  const several = patterns.length > 1 ? { allOf: patterns.map((one) => ({ pattern: one })) } : {}
  return { ...(kept && { format }), ...(patterns.length === 1 && { pattern: patterns[0] }), ...several }
}

/** Go's regular expressions know no lookaround and no backreferences; escaped characters are left out of the search. */
function needsLookaround(pattern: string): boolean {
  const plain = pattern.replace(/\\[^1-9k]/g, "")
  return /\(\?(?:[=!]|<[=!])|\\[1-9k]/.test(plain)
}

/** In OpenAPI 3.0 an exclusive bound is a flag beside the bound. The bounds of safe integers, which z.int() adds by itself, are left out. */
function bounds(schema: JsonSchema): JSONSchemaProps {
  const made: Keywords = {}
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = schema
  const min = Math.max(minimum, exclusiveMinimum)
  const max = Math.min(maximum, exclusiveMaximum)
  if (min > Number.MIN_SAFE_INTEGER) made.minimum = min
  if (made.minimum !== undefined && exclusiveMinimum >= minimum) made.exclusiveMinimum = true
  if (max < Number.MAX_SAFE_INTEGER) made.maximum = max
  if (made.maximum !== undefined && exclusiveMaximum <= maximum) made.exclusiveMaximum = true
  return made
}
