import type { Reader } from "../../environment/environment.ts"
import type { TypeKind } from "../../types/types.ts"
import { kindOf } from "../../values/kinds.ts"
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

/** The kinds that values of a schema may have, and what is said of one of another kind. */
interface Expectation {
  readonly kinds: readonly TypeKind[]
  readonly expected: string
  /** Whether it is said of which type the value is. */
  readonly showsType: boolean
}

function expectation(kinds: readonly TypeKind[], expected: string, showsType = true): Expectation {
  return { kinds, expected, showsType }
}

const either = expectation(["int", "string"], "expected XIntOrString value to be either a string or integer", false)
const byType: Readonly<Record<string, Expectation>> = {
  object: expectation(["map"], "expected a map for the provided schema with type=object", false),
  array: expectation(["list"], "expected an array for the provided schema with type=array", false),
  string: expectation(["string"], "expected string"),
  number: expectation(["int", "double"], "expected float"),
  integer: expectation(["int"], "expected int"),
  boolean: expectation(["bool"], "expected bool"),
}

/** Says what a value should have been; undefined for one of the right type. */
function faultOf(schema: JsonSchema, value: Value): string | undefined {
  const rule = schema["x-kubernetes-int-or-string"] ? either : byType[schema.type ?? ""]
  if (!rule || rule.kinds.includes(kindOf(value))) return undefined
  return rule.showsType ? `${rule.expected}, got ${goType(value)}` : rule.expected
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
