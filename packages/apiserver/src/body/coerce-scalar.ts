import { badRequest, canonicalMicroTime, canonicalQuantity, canonicalTime, type Schema } from "@pilothouse/api"
import { exactNumber, setOwn, stringifyJson } from "@pilothouse/seams"
import { type GoType, isMap, mismatch, type Place, pathOf, SchemaMismatch, type Step } from "./coerced-place.ts"
import { workableDepth } from "./json-depth.ts"

/** Returns a text of a format in its canonical form. */
export function coerceString(value: unknown, { format }: Schema, at: Place | undefined, step: Step): unknown {
  if (format === "quantity") return quantity(value)
  if (format === "int-or-string") return intOrString(value, at, step)
  if (typeof value !== "string") return mismatch(value, textType(format), at, step)
  if (format === "date-time") return value === "" ? value : canonicalTime(value)
  if (format === "byte") checkBase64(value)
  if (format === "micro-time") return value === "" ? value : canonicalMicroTime(value)
  return value
}

function textType(format: string | undefined): GoType {
  if (format === undefined) return { name: "string", kind: "string" }
  // Bytes are a text in JSON.
  if (format === "byte") return { name: "string", kind: "slice" }
  return { name: format === "date-time" ? "v1.Time" : "string" }
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

/** Go reads the bytes of whatever stands there. */
function quantity(value: unknown): unknown {
  return canonicalQuantity(typeof value === "string" || isNumeric(value) ? value : stringifyJson(value))
}

function intOrString(value: unknown, at: Place | undefined, step: Step): unknown {
  if (typeof value === "string" || (Number.isInteger(value) && isIn("int32", value as number))) return value
  return mismatch(value, { name: isNumeric(value) ? "int32" : "string" }, at, step)
}

const ranges: Readonly<Record<string, number>> = { int32: 2 ** 31, int64: 2 ** 63 }

function isIn(type: string, value: number | bigint): boolean {
  const limit = ranges[type]
  return limit === undefined || (value < limit && value >= -limit)
}

/** Returns a number as Go's type has it. */
export function coerceNumber(value: unknown, schema: Schema, at: Place | undefined, step: Step): unknown {
  const name = schema.type === "number" ? "float64" : (schema.format ?? "int64")
  if (!isNumeric(value) || !Number.isFinite(Number(value))) return mismatch(value, numberType(name), at, step)
  // A double has 53 bits, also where the integer that was sent has more.
  if (schema.type === "number") return exactNumber(Number(value))
  const exact = exactNumber(value)
  // A number that is not safe either has a fraction or is beyond 64 bits.
  if ((typeof exact === "number" && !Number.isSafeInteger(exact)) || !isIn(name, exact)) return mismatch(value, numberType(name), at, step)
  return exact
}

function numberType(name: string): GoType {
  return { name, kind: name === "int32" || name === "int64" ? name : "float64" }
}

/** Returns a copy of opaque JSON, as it is. */
export function coerceOpaque(value: unknown, at: Place | undefined, step: Step): unknown {
  return plainCopy(value, at, step, at === undefined ? 0 : at.depth + 1)
}

function plainCopy(value: unknown, at: Place | undefined, step: Step, depth: number): unknown {
  if (depth > workableDepth) throw new SchemaMismatch("exceeded max depth")
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, at, step, depth + 1))
  if (isMap(value)) {
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) if (value[key] !== undefined) setOwn(copy, key, plainCopy(value[key], at, step, depth + 1))
    return copy
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (isNumeric(value) && Number.isFinite(Number(value))) return exactNumber(value)
  if (isNumeric(value)) return mismatch(value, { name: "float64" }, undefined, step)
  throw badRequest(`${pathOf(at, step)}: expected a JSON value, found ${typeof value}`)
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === "number" || typeof value === "bigint"
}
