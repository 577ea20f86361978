import { optionalType, type Type, type TypeKind } from "../types/types.ts"
import { fitOf, isRecord } from "./fit-type.ts"
import { kindOf, typeOf } from "./kinds.ts"
import { keyName, MapValue } from "./maps.ts"
import { Optional, type Value } from "./value.ts"

/** Says where a value that does not fit a type does not: `variable ports[2]: expected an int, found the string "x"`. */
export function misfitOf(type: Type, value: unknown, place: string): string {
  return misfitInside(type, value, place) ?? `${place}: expected ${expected(type)}, found ${found(value)}${hint(type, value)}`
}

function misfitInside(type: Type, value: unknown, place: string): string | undefined {
  const [first, second] = type.parameters
  if (type.kind === "list" && first && Array.isArray(value)) {
    const index = value.findIndex((item) => fitOf(first)(item) === undefined)
    return index < 0 ? undefined : misfitOf(first, value[index], `${place}[${index}]`)
  }
  if (type.kind === "map" && first && second) {
    const entries = entriesOf(value)
    const key = entries.find(([one]) => fitOf(first)(one) === undefined)
    if (key) return isRecord(value) ? undefined : misfitOf(first, key[0], `${place}: a key`)
    const entry = entries.find(([, one]) => fitOf(second)(one) === undefined)
    return entry && misfitOf(second, entry[1], `${place}[${shownKey(entry[0])}]`)
  }
  if (first && type.name === optionalName && value instanceof Optional) return misfitOf(first, value.value, place)
  return undefined
}

const optionalName = optionalType({} as Type).name

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
  return type.name === optionalName ? ": new Optional(value) makes one" : ""
}
