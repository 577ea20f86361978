import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { below, type Field, refuse } from "./field.ts"
import type { JsonSchema } from "./zod-schema.ts"

/** Takes null out of a union: a structural schema has `nullable` beside the type. Literals of one type become an enum. */
export function withoutNull(schema: JsonSchema): { readonly one: JsonSchema; readonly nullable: boolean } {
  const { anyOf, type, ...rest } = schema
  if (Array.isArray(type)) {
    const types = type.filter((one) => one !== "null")
    return {
      one: types.length === 1 ? { ...schema, type: types[0] } : { ...rest, anyOf: types.map((one) => ({ type: one })) },
      nullable: types.length < type.length,
    }
  }
  if (anyOf === undefined) return { one: schema, nullable: false }
  const others = anyOf.filter((one) => one.type !== "null")
  const nullable = others.length < anyOf.length
  if (others.length === 1) return { one: { ...others[0], ...annotationsOf(rest) }, nullable }
  const literals = literalsOf(others)
  if (literals !== undefined) return { one: { ...rest, ...literals }, nullable }
  return { one: nullable ? { ...rest, anyOf: others } : schema, nullable }
}

function annotationsOf({ oneOf: _, allOf: __, ...rest }: JsonSchema): JsonSchema {
  return rest
}

/** z.union([z.literal("a"), z.enum(["b", "c"])]) */
function literalsOf(options: readonly JsonSchema[]): JsonSchema | undefined {
  const [first] = options
  const isLiteral = (one: JsonSchema) => one.type === first?.type && (Object.hasOwn(one, "const") || one.enum !== undefined)
  if (!options.every(isLiteral)) return undefined
  return { type: first?.type, enum: options.flatMap((one) => one.enum ?? [one.const]) }
}

/** z.union([z.int(), z.string()]): Kubernetes has a type for it, and no other union of scalars. */
export function intOrString({ anyOf }: JsonSchema): boolean {
  if (anyOf?.length !== 2) return false
  const bare = (one: JsonSchema) => Object.keys(one).every((key) => ["type", "minimum", "maximum"].includes(key))
  const isInteger = (one: JsonSchema) =>
    one.type === "integer" &&
    (one.minimum ?? Number.MIN_SAFE_INTEGER) === Number.MIN_SAFE_INTEGER &&
    (one.maximum ?? Number.MAX_SAFE_INTEGER) === Number.MAX_SAFE_INTEGER
  return anyOf.every(bare) && anyOf.some(isInteger) && anyOf.some((one) => one.type === "string" && Object.keys(one).length === 1)
}

type Convert = (schema: JsonSchema, at: Field) => JSONSchemaProps

/**
 * A discriminated union: one object with the fields of all variants, and `oneOf`, by the value of the discriminator, with the fields that each requires.
 * A field of several variants must be the same in all of them, and one of a single variant has no default: the server would set it in the others too.
 */
export function variants(options: readonly JsonSchema[], at: Field, convert: Convert): JSONSchemaProps {
  const discriminator = discriminatorOf(options)
  if (discriminator === undefined)
    throw refuse(
      at,
      "a union without a discriminator",
      "use z.discriminatedUnion() of objects, or one object with optional fields and a rule",
    )
  const objects = options.map((option) => convert(option, at))
  const fields: Record<string, JSONSchemaProps> = { [discriminator]: discriminatorField(objects, discriminator) }
  for (const [name, field] of objects.flatMap(({ properties = {} }) => Object.entries(properties))) {
    if (name !== discriminator) fields[name] = sameField(fields[name], field, below(at, `.${name}`))
  }
  refuseDefaults(fields, objects, at)
  const required = (objects[0]?.required ?? []).filter((name) => objects.every((object) => object.required?.includes(name)))
  return { type: "object", required, properties: fields, oneOf: objects.map((object) => variantOf(object, discriminator)) }
}

function discriminatorOf(options: readonly JsonSchema[]): string | undefined {
  return options[0]?.required?.find((name) =>
    options.every(({ required = [], properties = {} }) => {
      const field = properties[name]
      return required.includes(name) && field !== undefined && (Object.hasOwn(field, "const") || field.enum !== undefined)
    }),
  )
}

function discriminatorField(objects: readonly JSONSchemaProps[], name: string): JSONSchemaProps {
  const values = objects.flatMap(({ properties = {} }) => properties[name]?.enum ?? [])
  return { type: objects[0]?.properties?.[name]?.type ?? "string", enum: [...new Set(values)] }
}

function sameField(known: JSONSchemaProps | undefined, field: JSONSchemaProps, at: Field): JSONSchemaProps {
  if (known === undefined || JSON.stringify(known) === JSON.stringify(field)) return field
  throw refuse(at, "two variants with different schemas of the field", "rename one of them")
}

function refuseDefaults(fields: Readonly<Record<string, JSONSchemaProps>>, objects: readonly JSONSchemaProps[], at: Field): void {
  for (const [name, field] of Object.entries(fields)) {
    if (field.default === undefined || objects.every(({ properties = {} }) => Object.hasOwn(properties, name))) continue
    throw refuse(below(at, `.${name}`), "a default in one variant of a union", "make it optional: the server would set it in every variant")
  }
}

function variantOf({ properties = {}, required = [] }: JSONSchemaProps, discriminator: string): JSONSchemaProps {
  return { properties: { [discriminator]: { enum: properties[discriminator]?.enum } }, required: [...required] }
}
