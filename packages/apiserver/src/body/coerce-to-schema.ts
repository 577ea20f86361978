import { badRequest, canonicalQuantity, formatMicroTime, formatTime, parseMicroTime, parseTime, type Schema } from "@pilothouse/api"
import { goFormOf } from "@pilothouse/api/protobuf"
import { exactNumber } from "@pilothouse/seams"
import { findingLimit } from "./body-limit.ts"
import { setOwn } from "./draft.ts"
import { fieldPath, itemPath } from "./field-path.ts"
import { workableDepth } from "./json-depth.ts"
import type { NumberLiterals } from "./number-literals.ts"

/** What was in a body and is not in its schema. */
export interface Findings {
  /** Paths such as "spec.template.foo" or "spec.containers[0].bar"; no more than are ever shown. */
  readonly unknownFields: string[]
  /** How numbers were written. */
  readonly literals?: NumberLiterals | undefined
}

/** A value that its schema does not allow; `take-in` turns it into the Status that names the kind. */
export class SchemaMismatch extends Error {
  override readonly name = "Misfit"
}

interface Place {
  /** The name of the struct a field is in, for messages. */
  readonly struct: string
  readonly path: string
  /** The names of fields alone, without list numbers and keys of maps: so Go's decoder says where it was. */
  readonly fields: string
  /** Within how many others. */
  readonly depth: number
}

/**
 * The server's own copy of a value, as its schema has it and as Go would write it again: nulls and unknown fields are gone, and zero values and
 * empty lists that Go leaves out; those that it always writes are there. Quantities and times are in canonical form. One thing that can be said
 * in two ways is the same afterwards, whoever said it: only so is an update that changes nothing seen to be none.
 */
export function coerceToSchema(value: unknown, schema: Schema, findings: Findings): unknown {
  return conformed(value, schema, { struct: schema.name ?? "", path: "", fields: "", depth: 0 }, findings)
}

function conformed(value: unknown, schema: Schema, place: Place, findings: Findings): unknown {
  if (place.depth > workableDepth) throw new SchemaMismatch("exceeded max depth")
  switch (schema.type) {
    case "object":
      return conformedObject(value, schema, place, findings)
    case "map":
      return conformedMap(value, schema, place, findings)
    case "list":
      return conformedList(value, schema, place, findings)
    case "string":
      return conformedString(value, schema, place)
    case "integer":
    case "number":
      return conformedNumber(value, schema, place)
    case "boolean":
      return typeof value === "boolean" ? value : misfit(value, "bool", place)
    case "any":
      return plainCopy(value, place)
  }
}

type JsonMap = Readonly<Record<string, unknown>>

function conformedObject(value: unknown, schema: Schema, place: Place, findings: Findings): unknown {
  if (!isMap(value)) return misfit(value, goName(schema), place)
  const fields = schema.fields ?? {}
  const { omitsZero, always } = goFormOf(schema)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const inner = value[key]
    if (inner === undefined) continue
    const field = fields[key]
    if (field === undefined) {
      if (findings.unknownFields.length < findingLimit) findings.unknownFields.push(fieldPath(place.path, key))
      continue
    }
    if (inner === null) continue
    if (findings.literals !== undefined) checkLiteral(value, key, field.schema, placeOf(key, schema, place), findings.literals)
    const made = isPlainText(inner, field.schema) ? inner : conformed(inner, field.schema, placeOf(key, schema, place), findings)
    if (isZero(made) ? !omitsZero.has(key) : !isEmpty(made, field.schema)) copy[key] = made
  }
  for (const { name, zero } of always) if (copy[name] === undefined) copy[name] = zero()
  return copy
}

function placeOf(key: string, { name = "" }: Schema, { path, fields, depth }: Place): Place {
  return { struct: name, path: fieldPath(path, key), fields: fieldPath(fields, key), depth: depth + 1 }
}

/** Needs neither a copy nor a check, and so no place for a message: most values of most objects. */
function isPlainText(value: unknown, schema: Schema): boolean {
  return typeof value === "string" && schema.type === "string" && schema.format === undefined
}

function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false
}

/** Go leaves out empty lists and maps; an empty struct behind a pointer ("emptyDir: {}") says something and stays. */
function isEmpty(value: unknown, schema: Schema): boolean {
  if (schema.type === "list") return (value as readonly unknown[]).length === 0
  return schema.type === "map" && Object.keys(value as object).length === 0
}

function conformedMap(value: unknown, schema: Schema, place: Place, findings: Findings): unknown {
  if (!isMap(value)) return misfit(value, goName(schema), place)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const inner = value[key]
    if (inner === undefined) continue
    if (schema.items !== undefined && isPlainText(inner, schema.items)) {
      setOwn(copy, key, inner)
      continue
    }
    const at = { ...place, path: fieldPath(place.path, key), depth: place.depth + 1 }
    if (findings.literals !== undefined) checkLiteral(value, key, schema.items ?? anything, at, findings.literals)
    // Go reads null as the empty value of the map's type.
    const made = inner === null ? emptyOf(schema.items) : conformed(inner, schema.items ?? anything, at, findings)
    setOwn(copy, key, made)
  }
  return copy
}

const anything: Schema = { type: "any" }

function emptyOf(schema: Schema | undefined): unknown {
  if (schema?.type === "string") return ""
  return schema?.type === "list" ? [] : {}
}

function conformedList(value: unknown, schema: Schema, place: Place, findings: Findings): unknown {
  if (!Array.isArray(value)) return misfit(value, goName(schema), place)
  return value.map((item, index) => {
    const at = { ...place, path: itemPath(place.path, index), depth: place.depth + 1 }
    if (findings.literals !== undefined) checkLiteral(value, String(index), schema.items ?? anything, at, findings.literals)
    return item === null ? emptyOf(schema.items) : conformed(item, schema.items ?? anything, at, findings)
  })
}

function conformedString(value: unknown, schema: Schema, place: Place): unknown {
  if (schema.format === "quantity") return quantity(value, place)
  if (schema.format === "int-or-string") return intOrString(value, place)
  if (typeof value !== "string") return misfit(value, schema.format === "date-time" ? "v1.Time" : "string", place)
  if (schema.format === "date-time") return value === "" ? value : formatTime(parseTime(value))
  if (schema.format === "byte") checkBase64(value)
  if (schema.format === "micro-time") return value === "" ? value : formatMicroTime(parseMicroTime(value))
  return value
}

/** Lines may be broken, as Go allows. */
function checkBase64(text: string): void {
  if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) return
  const letters = text.replaceAll(/[\r\n]/g, "")
  const good = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(letters)?.[0] ?? ""
  if (good.length === letters.length) return
  const wrong = letters.slice(good.length).search(/[^A-Za-z0-9+/]/)
  throw new SchemaMismatch(`illegal base64 data at input byte ${wrong === -1 ? good.length : good.length + wrong}`)
}

function quantity(value: unknown, place: Place): unknown {
  if (typeof value !== "string" && !isNumeric(value)) return misfit(value, "resource.Quantity", place)
  return canonicalQuantity(value)
}

function intOrString(value: unknown, place: Place): unknown {
  if (typeof value === "string" || (Number.isInteger(value) && isIn("int32", value as number))) return value
  return misfit(value, isNumeric(value) ? "int32" : "string", place)
}

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

function isIn(type: string, value: number | bigint): boolean {
  const limit = ranges[type]
  return limit === undefined || (value < limit && value >= -limit)
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint"
}

function conformedNumber(value: unknown, schema: Schema, place: Place): unknown {
  const type = schema.format ?? (schema.type === "integer" ? "int64" : "float64")
  if (!isNumeric(value) || !Number.isFinite(Number(value))) return misfit(value, type, place)
  // A double has 53 bits, also where the integer that was sent has more.
  if (schema.type === "number") return exactNumber(Number(value))
  const exact = exactNumber(value)
  // A number that is not safe either has a fraction or is beyond 64 bits.
  if ((typeof exact === "number" && !Number.isSafeInteger(exact)) || !isIn(type, exact)) return misfit(value, type, place)
  return exact
}

/** Go reads an integer by its text: 1.0 and 1e2 are none. */
function checkLiteral(holder: object, key: string, { type, format }: Schema, { struct, fields }: Place, literals: NumberLiterals): void {
  const literal = literals.get(holder)?.get(key)
  const isInteger = type === "integer" || format === "int-or-string"
  if (literal === undefined || !isInteger) return
  const goType = type === "integer" ? (format ?? "int64") : "int32"
  throw new SchemaMismatch(`json: cannot unmarshal number ${literal} into Go struct field ${struct}.${fields} of type ${goType}`)
}

/** Opaque JSON, as it is. */
function plainCopy(value: unknown, place: Place, depth = place.depth): unknown {
  if (depth > workableDepth) throw new SchemaMismatch("exceeded max depth")
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, place, depth + 1))
  if (isMap(value)) {
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) if (value[key] !== undefined) setOwn(copy, key, plainCopy(value[key], place, depth + 1))
    return copy
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (isNumeric(value) && Number.isFinite(Number(value))) return exactNumber(value)
  throw badRequest(`${place.path}: expected a JSON value, found ${value === null ? "null" : typeof value}`)
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** In the words of Go's decoder, which is what people search for. */
function misfit(value: unknown, goType: string, { struct, fields }: Place): never {
  // A number that is of the right kind and still does not fit is named.
  const found = isNumeric(value) ? `number${/^(?:int|float|double)/.test(goType) ? ` ${value}` : ""}` : jsonWord(value)
  throw new SchemaMismatch(`json: cannot unmarshal ${found} into Go struct field ${struct}.${fields} of type ${goType}`)
}

function jsonWord(value: unknown): string {
  if (Array.isArray(value)) return "array"
  if (typeof value === "boolean") return "bool"
  return typeof value === "object" ? "object" : typeof value
}

function goName(schema: Schema): string {
  if (schema.type === "list") return `[]${goName(schema.items ?? anything)}`
  if (schema.type === "map") return `map[string]${goName(schema.items ?? anything)}`
  return schema.name === undefined ? schema.type : `v1.${schema.name}`
}
