// How the JSON that the server holds is read and built. A field that is undefined is one that is absent.
import type { ListType, MapType, ScalarType, Type } from "./type.ts"

export type JsonMap = Readonly<Record<string, unknown>>

export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A field that the map has itself: keys come from clients, and every object inherits some ("constructor"). */
export function ownField(map: JsonMap, key: string): unknown {
  const value = map[key]
  return (typeof value === "function" || key === "__proto__") && !Object.hasOwn(map, key) ? undefined : value
}

/** Sets a field, also one that is called "__proto__". */
export function setField(map: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true })
  else map[key] = value
}

/** Whether no field is there. */
export function isEmptyMap(map: JsonMap): boolean {
  for (const key in map) if (map[key] !== undefined && Object.hasOwn(map, key)) return false
  return true
}

/**
 * Which of the forms that a type allows a value has: its own where the type allows it, else the first one of map, scalar and list. Null and absent
 * values are of any form.
 */
export function formOf(type: Type, value: unknown): MapType | ListType | ScalarType | undefined {
  if (typeof value === "object") {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return type.list
    } else if (value !== null && type.map !== undefined) return type.map
  } else if (value !== undefined && type.scalar !== undefined) return type.scalar
  return type.map ?? type.scalar ?? type.list
}
