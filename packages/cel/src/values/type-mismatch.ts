import { isOptional, type Type, type TypeKind } from "../types/types.ts"
import { coercionOf, isRecord } from "./coerce-to-type.ts"
import { kindOf, typeOf } from "./kinds.ts"
import { keyName, MapValue } from "./maps.ts"
import { fail, Optional, type Value } from "./value.ts"

/** Returns how values of the caller become values of a type; one that does not fit ends the evaluation with an error that says where. */
export function coerceOrFail(type: Type, place: string): (value: unknown) => Value {
  const coerce = coercionOf(type)
  return (value) => {
    const coerced = coerce(value)
    return coerced === undefined ? fail(typeMismatch(type, value, place)) : coerced
  }
}

/** Says where a value that does not fit a type does not: `variable ports[2]: expected an int, found the string "x"`. */
function typeMismatch(type: Type, value: unknown, place: string): string {
  return mismatchInside(type, value, place) ?? `${place}: expected ${expected(type)}, found ${found(value)}${hint(type, value)}`
}

function mismatchInside(type: Type, value: unknown, place: string): string | undefined {
  const [first, second] = type.parameters
  if (type.kind === "list" && first && Array.isArray(value)) {
    const index = value.findIndex((item) => coercionOf(first)(item) === undefined)
    return index < 0 ? undefined : typeMismatch(first, value[index], `${place}[${index}]`)
  }
  if (type.kind === "map" && first && second) {
    const entries = entriesOf(value)
    const key = entries.find(([one]) => coercionOf(first)(one) === undefined)
    if (key) return isRecord(value) ? undefined : typeMismatch(first, key[0], `${place}: a key`)
    const entry = entries.find(([, one]) => coercionOf(second)(one) === undefined)
    return entry && typeMismatch(second, entry[1], `${place}[${shownKey(entry[0])}]`)
  }
  if (first && isOptional(type) && value instanceof Optional) return typeMismatch(first, value.value, place)
  return undefined
}

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (value instanceof MapValue) return value.keys().map((key) => [key, value.get(key)])
  if (value instanceof Map) return [...value]
  return isRecord(value) ? Object.entries(value).filter(([, item]) => item !== undefined) : []
}

function shownKey(key: unknown): string {
  return typeof key === "string" ? quoted(key) : keyName(key as Value)
}

function expected(type: Type): string {
  if (type.kind === "bytes" || type.kind === "null") return type.kind
  if (type.kind === "object") return `an object of type ${type.name}`
  if (type.kind === "dyn") return "a value of CEL"
  return withArticle(type.toString())
}

function withArticle(name: string): string {
  return /^(?:[aeio]|un)/i.test(name) ? `an ${name}` : `a ${name}`
}

const scalars: ReadonlySet<TypeKind> = new Set(["double", "duration", "int", "timestamp", "uint"])

function found(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (typeof value === "string") return `the string ${quoted(value)}`
  if (typeof value === "boolean") return `the bool ${value}`
  if (typeof value === "number" || typeof value === "bigint") return `the ${typeof value} ${value}`
  return typeof value === "object" ? foundObject(value) : `a ${typeof value}`
}

function foundObject(value: object): string {
  const kind = kindOf(value as Value)
  if (scalars.has(kind)) return `the ${kind} ${keyName(value as Value)}`
  if (kind === "opaque") return withArticle(typeOf(value as Value).toString())
  if (kind !== "map") return kind === "bytes" ? "bytes" : `a ${kind}`
  if (value instanceof MapValue) return "a map"
  if (value instanceof Date && Number.isNaN(value.getTime())) return "an invalid Date"
  return isRecord(value) ? "an object" : withArticle(Object.prototype.toString.call(value).slice("[object ".length, -1))
}

/** How much of a text is shown. */
const shownCharacters = 40

function quoted(text: string): string {
  return JSON.stringify(text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text)
}

function hint(type: Type, value: unknown): string {
  if (type.kind === "timestamp" && typeof value === "string") return ": parseTimestamp makes one of a text"
  if (type.kind === "duration" && typeof value === "string") return ": parseDuration makes one of a text"
  if (type.kind === "int" && typeof value === "number" && Number.isInteger(value)) return ": beyond 2^53 only a bigint is exact"
  if (type.kind === "map" && isRecord(value)) return `, whose keys are strings: a Map or a MapValue can have others`
  return isOptional(type) ? ": new Optional(value) makes one" : ""
}
