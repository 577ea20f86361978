import type { Field, Schema } from "@pilothouse/api"
import { type GoForm, goFormOf } from "@pilothouse/api/protobuf"
import { schemaOfType } from "@pilothouse/api/schemas"
import { setOwn } from "@pilothouse/seams"
import { findingLimit } from "./body-limit.ts"
import { coerceNumber, coerceOpaque, coerceString } from "./coerce-scalar.ts"
import { goPlaceOf, isMap, mismatch, Place, SchemaMismatch, type Step } from "./coerced-place.ts"
import type { NumberLiterals } from "./number-literals.ts"
import { isVariantOfNone, isVariantQuantity, type VariantForm } from "./variant-forms.ts"

/** What was in a body and is not in its schema. */
export interface Findings {
  /** Paths such as "spec.template.foo" or "spec.containers[0].bar"; no more than are ever shown. */
  readonly unknownFields: string[]
  /** How numbers were written. */
  readonly literals?: NumberLiterals | undefined
  /** What Go tells from its stored form; only of objects whose ownership and generation depend on that. */
  readonly variants?: VariantForm[]
}

/**
 * The server's own copy of a value, as its schema has it and as Go would write it again: nulls and unknown fields are gone, and zero values and
 * empty lists that Go leaves out; those that it always writes are there. Quantities and times are in canonical form. One thing that can be said
 * in two ways is the same afterwards, whichever client sent it: only so is an update that changes nothing seen to be none.
 */
export function coerceToSchema(value: unknown, schema: Schema, findings: Findings): unknown {
  return coercionOf(schema)(value, undefined, "", findings)
}

/** Returns the server's copy of the value that stands at a step from a place. */
type Coercion = (value: unknown, at: Place | undefined, step: Step, findings: Findings) => unknown

/** Schemas are walked once; every body of a kind is walked by what was made of its schema. */
const coercions = new WeakMap<Schema, Coercion>()

function coercionOf(schema: Schema): Coercion {
  const known = coercions.get(schema)
  if (known !== undefined) return known
  const coercion = compiled(schema)
  coercions.set(schema, coercion)
  return coercion
}

function compiled(schema: Schema): Coercion {
  switch (schema.type) {
    case "object":
      return objectCoercion(schema)
    case "map":
      return mapCoercion(schema)
    case "list":
      return listCoercion(schema)
    case "string":
      return schema.format === "quantity" ? quantityCoercion(schema) : (value, at, step) => coerceString(value, schema, at, step)
    case "integer":
    case "number":
      return (value, at, step) => coerceNumber(value, schema, at, step)
    case "boolean":
      return (value, at, step) => (typeof value === "boolean" ? value : mismatch(value, { name: "bool", kind: "bool" }, at, step))
    case "any":
      return schemaOrCoercion(schema) ?? coerceOpaque
  }
}

/**
 * Where a JSON Schema may stand beside something else: its items, which may be a list of schemas, its additionalProperties, which may be a boolean,
 * and its dependencies, which may be lists of names. Go reads such a value by itself, and what is unknown in it is dropped without a word.
 */
function schemaOrCoercion({ name = "", package: from = "" }: Schema): Coercion | undefined {
  const other = /^JSONSchemaPropsOr(Array|Bool|StringArray)$/.exec(name)?.[1]
  if (other === undefined) return undefined
  const schema = schemaOfType(`${from}.JSONSchemaProps`) ?? anything
  const list: Schema = { type: "list", items: other === "Array" ? schema : { type: "string" } }
  return (value, at, step, { literals }) => {
    if (isMap(value)) return coercionOf(schema)(value, at, step, { unknownFields: [], literals })
    if (other === "Bool" && typeof value !== "boolean") throw new SchemaMismatch("boolean or JSON schema expected")
    return Array.isArray(value) ? coercionOf(list)(value, at, step, { unknownFields: [], literals }) : value
  }
}

function quantityCoercion(schema: Schema): Coercion {
  return (value, at, step, { variants }) => {
    const made = coerceString(value, schema, at, step)
    if (made !== value && at !== undefined && variants !== undefined && isVariantQuantity(value, made as string))
      variants.push({ at, step })
    return made
  }
}

/** A field of an object. */
class FieldCoercion {
  readonly schema: Schema
  /** Whether a text needs neither a copy nor a check: most values of most objects. */
  readonly isText: boolean
  /** Whether Go leaves it out when it is "", 0 or false. */
  readonly omitsZero: boolean
  #coerce: Coercion | undefined

  constructor(name: string, { schema }: Field, { omitsZero }: GoForm) {
    this.schema = schema
    this.isText = isPlainText(schema)
    this.omitsZero = omitsZero.has(name)
  }

  /** Made when it is first used: a type may hold itself. */
  get coerce(): Coercion {
    this.#coerce ??= coercionOf(this.schema)
    return this.#coerce
  }

  /** Whether Go leaves a value out: zeros as far as the field does, and empty lists and maps; "emptyDir: {}" says something and stays. */
  isLeftOut(value: unknown): boolean {
    if (typeof value !== "object") return this.omitsZero && (value === "" || value === 0 || value === false)
    if (this.schema.type === "list") return (value as readonly unknown[]).length === 0
    return this.schema.type === "map" && Object.keys(value as object).length === 0
  }
}

function isPlainText({ type, format }: Schema): boolean {
  return type === "string" && format === undefined
}

function objectCoercion(schema: Schema): Coercion {
  const form = goFormOf(schema)
  const fields = new Map(Object.entries(schema.fields ?? {}).map(([name, field]) => [name, new FieldCoercion(name, field, form)]))
  return (value, at, step, findings) => {
    if (!isMap(value)) return mismatch(value, { name: goName(schema), kind: "struct" }, at, step)
    const place = new Place(schema, at, step)
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const inner = value[key]
      if (inner === undefined) continue
      const field = fields.get(key)
      if (field === undefined) {
        if (findings.unknownFields.length < findingLimit) findings.unknownFields.push(place.pathOf(key))
        continue
      }
      if (inner === null) continue
      if (findings.literals !== undefined) checkLiteral(value, key, field.schema, place, findings.literals)
      const made = field.isText && typeof inner === "string" ? inner : field.coerce(inner, place, key, findings)
      if (!field.isLeftOut(made)) copy[key] = made
      else if (findings.variants !== undefined && isVariantOfNone(made, field.schema)) findings.variants.push({ at: place, step: key })
    }
    for (const { name, zero } of form.always) if (copy[name] === undefined) copy[name] = zero()
    return copy
  }
}

function mapCoercion(schema: Schema): Coercion {
  const items = schema.items ?? anything
  const isText = isPlainText(items)
  return (value, at, step, findings) => {
    if (!isMap(value)) return mismatch(value, { name: goName(schema), kind: "map" }, at, step)
    const place = new Place(schema, at, step)
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      const inner = value[key]
      if (inner === undefined) continue
      if (findings.literals !== undefined) checkLiteral(value, key, items, place, findings.literals)
      // Go reads null as the empty value of the map's type.
      if (isText && typeof inner === "string") setOwn(copy, key, inner)
      else setOwn(copy, key, inner === null ? emptyOf(schema.items) : coercionOf(items)(inner, place, key, findings))
    }
    return copy
  }
}

const anything: Schema = { type: "any" }

function emptyOf(schema: Schema | undefined): unknown {
  if (schema?.type === "string") return ""
  if (schema?.type === "any") return null
  return schema?.type === "list" ? [] : {}
}

function listCoercion(schema: Schema): Coercion {
  const items = schema.items ?? anything
  return (value, at, step, findings) => {
    if (!Array.isArray(value)) return mismatch(value, { name: goName(schema), kind: "slice" }, at, step)
    const place = new Place(schema, at, step)
    const coerce = coercionOf(items)
    // Its length is known: a list that grows has room for 17 items, and every stored object would keep that.
    const copy = new Array<unknown>(value.length)
    for (let index = 0; index < value.length; index++) {
      if (findings.literals !== undefined) checkLiteral(value, String(index), items, place, findings.literals)
      const item: unknown = value[index]
      copy[index] = item === null ? emptyOf(schema.items) : coerce(item, place, index, findings)
    }
    return copy
  }
}

/** Go reads an integer by its text: 1.0 and 1e2 are none, and 1e400 is not even a double. */
function checkLiteral(holder: object, key: string, { type, format }: Schema, place: Place, literals: NumberLiterals): void {
  const literal = literals.get(holder)?.get(key)
  const isInteger = type === "integer" || format === "int-or-string"
  if (literal === undefined || !(isInteger || (type === "number" && !Number.isFinite(Number(literal))))) return
  const goType = type === "number" ? "float64" : type === "integer" ? (format ?? "int64") : "int32"
  throw new SchemaMismatch(`json: cannot unmarshal number ${literal} into Go struct field ${goPlaceOf(place, key)} of type ${goType}`)
}

function goName(schema: Schema): string {
  if (schema.type === "list") return `[]${goName(schema.items ?? anything)}`
  if (schema.type === "map") return `map[string]${goName(schema.items ?? anything)}`
  return schema.name === undefined ? schema.type : `v1.${schema.name}`
}
