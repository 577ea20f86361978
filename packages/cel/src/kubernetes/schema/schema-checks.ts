import type { Reader } from "../../environment/environment.ts"
import { isInt, kindOf } from "../../values/kinds.ts"
import { fail, type JsonObject, type Value } from "../../values/value.ts"
import { type JsonSchema, valuesSchema } from "./json-schema.ts"

/**
 * Returns how a value is read that may be of another type than its schema has: an update can keep what an older schema allowed. Such a value fails when an
 * expression reaches it, an item or an entry only when it is selected. `read` is what makes a value of the right type one of the language.
 */
export function checkedReader(schema: JsonSchema, read: Reader | undefined, element: Reader | undefined): Reader {
  return (value) => {
    if (value === null) return schema.nullable ? null : fail("invalid data, got null for schema with nullable=false")
    const fault = faultOf(schema, value)
    if (fault !== undefined) return fail(`invalid data, ${fault}`)
    if (schema.type === "array" && element) return lazilyRead(value, element)
    if (schema.type === "object" && valuesSchema(schema) && element) return lazilyRead(value, element)
    return read ? read(value) : value
  }
}

/** Says what a value should have been; undefined for one of the right type. */
function faultOf(schema: JsonSchema, value: Value): string | undefined {
  const kind = kindOf(value)
  if (schema["x-kubernetes-int-or-string"])
    return kind === "string" || isInt(value) ? undefined : "expected XIntOrString value to be either a string or integer"
  switch (schema.type) {
    case "object":
      return kind === "map" ? undefined : "expected a map for the provided schema with type=object"
    case "array":
      return kind === "list" ? undefined : "expected an array for the provided schema with type=array"
    case "string":
      return kind === "string" ? undefined : `expected string, got ${goType(value)}`
    case "number":
      return kind === "int" || kind === "double" ? undefined : `expected float, got ${goType(value)}`
    case "integer":
      return kind === "int" ? undefined : `expected int, got ${goType(value)}`
    case "boolean":
      return kind === "bool" ? undefined : `expected bool, got ${goType(value)}`
    default:
      return undefined
  }
}

/** The names that Go has for the types of JSON. */
function goType(value: Value): string {
  if (Array.isArray(value)) return "[]interface {}"
  const kind = kindOf(value)
  if (kind === "map") return "map[string]interface {}"
  return kind === "int" ? "int64" : kind === "double" ? "float64" : kind
}

/** The list or the map itself, whose items or entries are read when they are selected. */
function lazilyRead(value: Value, read: Reader): Value {
  return new Proxy(value as JsonObject, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name)
      const isElement = typeof name === "string" && Object.hasOwn(target, name) && name !== "length"
      return isElement && found !== undefined ? read(found as Value) : found
    },
  })
}
