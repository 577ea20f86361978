import { PilothouseError } from "@pilothouse/seams"
import { type Field, type FieldType, type ObjectName, objectSchema } from "./schema.ts"

type Values = Readonly<Record<string, unknown>>

/**
 * Reads the text of an annotation that may hold one of these objects; the value has the object's name as `type`.
 * A later minor version is read, and fields that are not known here are left out. An unknown name, another namespace or another major version
 * is an error: what is not understood must not be overwritten.
 */
export function decodeObject(names: readonly ObjectName[], text: string): Values & { readonly type: ObjectName } {
  return objectFrom(names, parsed(text), names.join(" or "))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new PilothouseError("INVALID", `expected a versioned object as JSON, found ${JSON.stringify(text.slice(0, 60))}`, { cause })
  }
}

function objectFrom(names: readonly ObjectName[], value: unknown, where: string): Values & { readonly type: ObjectName } {
  const primitive = asRecord(value, where)
  const found = primitive["versioned_object.name"]
  const name = names.find((one) => one === found)
  if (name === undefined) throw wrong(where, `a versioned object named ${names.join(" or ")}`, found)
  const schema = objectSchema(name)
  const namespace = primitive["versioned_object.namespace"]
  if (namespace !== schema.namespace) throw wrong(where, `namespace ${schema.namespace}`, namespace)
  checkMajor(primitive["versioned_object.version"], schema.version[0], where)
  const data = asRecord(primitive["versioned_object.data"], where)
  const fields = Object.entries(schema.fields).flatMap(([field, about]) => fieldFrom(field, about, data[field], `${name}.${field}`))
  // "type" of a service spec is a field of its own, and wins.
  return { type: name, ...Object.fromEntries(fields) } as Values & { readonly type: ObjectName }
}

function checkMajor(version: unknown, major: number, where: string): void {
  const found = typeof version === "string" ? /^(\d+)\.\d+/.exec(version)?.[1] : undefined
  if (Number(found) !== major) throw wrong(where, `version ${major}.x`, version)
}

function fieldFrom(field: string, about: Field, value: unknown, where: string): readonly (readonly [string, unknown])[] {
  if (value === undefined) {
    if (about.optional) return []
    throw wrong(where, "a value", value)
  }
  if (value === null && about.nullable) return [[field, null]]
  return [[field, valueFrom(about.type, value, where)]]
}

function valueFrom(type: FieldType, value: unknown, where: string): unknown {
  if (typeof type === "string") return simple(type, value, where)
  if ("object" in type) return one(type.object, value, where)
  if ("list" in type) return asList(value, where).map((item) => one([type.list], item, where))
  if ("wrapped" in type) {
    const primitive = asRecord(value, where)
    if (primitive["versioned_object.name"] !== type.in) throw wrong(where, type.in, primitive["versioned_object.name"])
    const { objects } = asRecord(primitive["versioned_object.data"], where)
    return asList(objects, where).map((item) => one([type.wrapped], item, where))
  }
  return Object.fromEntries(Object.entries(asRecord(value, where)).map(([key, item]) => [key, one(type.map, item, `${where}.${key}`)]))
}

/** Where only one is possible its name says nothing. */
function one(names: readonly ObjectName[], value: unknown, where: string): Values {
  const read = objectFrom(names, value, where)
  if (names.length > 1) return read
  const { type: _, ...fields } = read
  return fields
}

function simple(type: FieldType & string, value: unknown, where: string): unknown {
  if (type === "strings") {
    const list = asList(value, where)
    if (list.every((item) => typeof item === "string")) return list
  } else if (type === "integer" ? Number.isInteger(value) : typeof value === type) return value
  throw wrong(where, type, value)
}

function asList(value: unknown, where: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw wrong(where, "a list", value)
}

function asRecord(value: unknown, where: string): Values {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Values
  throw wrong(where, "an object", value)
}

function wrong(where: string, expected: string, found: unknown): PilothouseError {
  const shown = found === undefined ? "nothing" : (JSON.stringify(found)?.slice(0, 80) ?? String(found))
  return new PilothouseError("INVALID", `expected ${expected} at ${where}, found ${shown}; nothing was changed`)
}
