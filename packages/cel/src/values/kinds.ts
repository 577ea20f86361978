import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  isOptional,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  Type,
  type TypeKind,
  timestampType,
  typeType,
  uintType,
} from "../types/types.ts"
import { Duration } from "./duration.ts"
import { Timestamp } from "./timestamp.ts"
import { Double, Opaque, Optional, Uint, type Value } from "./value.ts"

const dynList = listType(dynType)
const dynMap = mapType(dynType, dynType)
const dynOptional = optionalType(dynType)

/** Numbers of this size are doubles even without a fraction: no int is so large. */
const beyondInt = 2 ** 63

/** Reports whether a value is an int. */
export function isInt(value: Value): value is number | bigint {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < beyondInt
  return typeof value === "bigint"
}

/** Reports whether a value is a double. */
export function isDouble(value: Value): value is number | Double {
  if (typeof value === "number") return !Number.isInteger(value) || Math.abs(value) >= beyondInt
  return value instanceof Double
}

/** Returns the sort of a value. Objects of declared types count as maps, because JSON does not say which type they have. */
export function kindOf(value: Value): TypeKind {
  switch (typeof value) {
    case "string":
      return "string"
    case "number":
      return isInt(value) ? "int" : "double"
    case "boolean":
      return "bool"
    case "bigint":
      return "int"
    default:
      return kindOfObject(value)
  }
}

/** In a list of the caller undefined stands for null, as in JSON. */
function kindOfObject(value: object | null | undefined): TypeKind {
  if (value === null || value === undefined) return "null"
  if (Array.isArray(value)) return "list"
  if (value instanceof Double) return "double"
  if (value instanceof Uint) return "uint"
  if (value instanceof Uint8Array) return "bytes"
  if (value instanceof Duration) return "duration"
  if (value instanceof Timestamp) return "timestamp"
  if (value instanceof Optional || value instanceof Opaque) return "opaque"
  if (value instanceof Type) return "type"
  return "map"
}

const typesOfKinds: Readonly<Partial<Record<TypeKind, Type>>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  int: intType,
  list: dynList,
  map: dynMap,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  type: typeType,
  uint: uintType,
}

/** Returns the type of a value as `type(value)` has it. */
export function typeOf(value: Value): Type {
  if (value instanceof Optional) return dynOptional
  if (value instanceof Opaque) return value.type
  return typesOfKinds[kindOf(value)] ?? dynType
}

/** Returns the run-time test that a parameter of a type puts to an argument. Lists are judged by their first item, lists of lists by nothing. */
export function acceptsOf(type: Type): (value: Value) => boolean {
  const { kind, name, parameters } = type
  if (kind === "dyn" || kind === "param") return () => true
  if (kind === "opaque") {
    return (value) => (value instanceof Opaque ? value.type.name === name : value instanceof Optional && isOptional(type))
  }
  if (kind === "list") {
    const [item = dynType] = parameters
    const acceptsItem = item.kind === "list" ? () => true : acceptsOf(item)
    return (value) => Array.isArray(value) && (value.length === 0 || acceptsItem(value[0] as Value))
  }
  if (kind === "object") return (value) => kindOf(value) === "map"
  return (value) => kindOf(value) === kind
}
