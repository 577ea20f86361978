import { Type } from "../types/types.ts"
import { Duration } from "./duration.ts"
import { Timestamp } from "./timestamp.ts"
import { Double, Uint, type Value } from "./value.ts"
import { countWork } from "./work.ts"

/** Writes a value for a message, as Go's `%v` does. */
export function displayValue(value: Value): string {
  if (typeof value === "string") return value
  if (value instanceof Double || value instanceof Uint) return value.value.toString()
  if (value instanceof Duration || value instanceof Timestamp) return value.toString()
  if (value instanceof Type) return value.name
  if (Array.isArray(value)) {
    countWork(value.length)
    return `[${value.map(displayValue).join(", ")}]`
  }
  return typeof value === "object" && value !== null ? "{}" : String(value)
}
