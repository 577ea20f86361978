import { type $ZodType, type $ZodTypes, toJSONSchema } from "zod/v4/core"

/** The part of JSON Schema 2020-12 that zod writes. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly propertyNames?: JsonSchema
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
  /** What JSON Schema drops without a word, and a structural schema cannot hold either. */
  readonly [refused]?: Refused
  readonly [keyword: string]: unknown
}

/** A construct of zod without a counterpart. */
export interface Refused {
  readonly found: string
  readonly advice: string
}

/** The keyword of a refused construct: zod drops it, and the field is only known where the schema is read. */
export const refused = "x-pilothouse-refused"

/** Reads a schema of zod as JSON Schema of what a client writes; a construct that JSON Schema does not have is marked as refused. */
export function jsonSchemaOf(schema: $ZodType): JsonSchema {
  return toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      const found = refusalOf(zodSchema)
      if (found !== undefined) Object.assign(jsonSchema, { [refused]: found })
    },
  }) as JsonSchema
}

const rule = 'write it as a rule: .meta({ "x-kubernetes-validations": [{ rule: "…" }] })'

/** By the type of a zod schema. */
const refusedTypes: Readonly<Record<string, Refused>> = {
  pipe: { found: "a transform, pipe or codec", advice: "store what is written, and transform it where it is read" },
  transform: { found: "a transform", advice: "store what is written, and transform it where it is read" },
  catch: { found: "catch()", advice: "use .default()" },
  custom: { found: "z.custom() or z.instanceof()", advice: "use the type of JSON that is stored" },
  date: { found: "z.date()", advice: "use z.iso.datetime()" },
  bigint: { found: "z.bigint()", advice: "use z.int() or a string" },
  map: { found: "z.map()", advice: "use z.record(z.string(), …)" },
  set: { found: "z.set()", advice: 'use z.array(…).meta({ "x-kubernetes-list-type": "set" })' },
  symbol: { found: "z.symbol()", advice: "use a string" },
  undefined: { found: "z.undefined()", advice: "use .optional()" },
  void: { found: "z.void()", advice: "use .optional()" },
  never: { found: "z.never()", advice: "leave the field out" },
  nan: { found: "z.nan()", advice: "use z.number()" },
  function: { found: "z.function()", advice: "use the type of JSON that is stored" },
  promise: { found: "z.promise()", advice: "use the type of JSON that is stored" },
  file: { found: "z.file()", advice: "use a string" },
  success: { found: "z.success()", advice: "use z.boolean()" },
}

function refusalOf({ _zod: { def } }: $ZodTypes): Refused | undefined {
  if (Object.hasOwn(refusedTypes, def.type)) return refusedTypes[def.type]
  if ("coerce" in def && def.coerce === true)
    return { found: "coercion", advice: "use the type without z.coerce: the server stores what is written" }
  for (const check of def.checks ?? []) {
    const found = refusedCheck(check._zod.def as CheckDef)
    if (found !== undefined) return found
  }
  return refusedFlags((def as { readonly pattern?: RegExp }).pattern)
}

interface CheckDef {
  readonly check: string
  readonly pattern?: RegExp
}

const heldChecks: ReadonlySet<string> = new Set([
  "greater_than",
  "less_than",
  "multiple_of",
  "number_format",
  "max_length",
  "min_length",
  "length_equals",
  "string_format",
])

function refusedCheck({ check, pattern }: CheckDef): Refused | undefined {
  if (check === "overwrite")
    return { found: "a transform such as trim() or toLowerCase()", advice: "use a pattern that refuses other values" }
  if (check === "custom") return { found: "a refinement in TypeScript", advice: rule }
  if (!heldChecks.has(check)) return { found: `the check ${check}`, advice: rule }
  return refusedFlags(pattern)
}

/** A pattern has no flags: JSON Schema would drop them. `u` and `v` change nothing, and `g` and `y` mean nothing for one match. */
function refusedFlags(pattern: RegExp | undefined): Refused | undefined {
  if (pattern === undefined || !/[ims]/.test(pattern.flags)) return undefined
  return { found: `a regular expression with the flags ${pattern.flags}`, advice: "write both cases: [a-zA-Z]" }
}
