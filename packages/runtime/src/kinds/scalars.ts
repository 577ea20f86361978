import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { type Field, refuse } from "./field.ts"
import type { JsonSchema } from "./zod-schema.ts"

type Keywords = { -readonly [Name in keyof JSONSchemaProps]: JSONSchemaProps[Name] }

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

/** Enums, lengths, patterns, formats and bounds. */
export function scalarKeywords(schema: JsonSchema, at: Field): JSONSchemaProps {
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
  const least = Math.max(minimum, exclusiveMinimum)
  const most = Math.min(maximum, exclusiveMaximum)
  if (least > Number.MIN_SAFE_INTEGER) made.minimum = least
  if (made.minimum !== undefined && exclusiveMinimum >= minimum) made.exclusiveMinimum = true
  if (most < Number.MAX_SAFE_INTEGER) made.maximum = most
  if (made.maximum !== undefined && exclusiveMaximum <= maximum) made.exclusiveMaximum = true
  return made
}
