import { exactNumber, setOwn } from "@pilothouse/seams"
import { beyondDouble } from "./coerced-place.ts"

/**
 * An object on its way into the store: the server's own copy, which defaulting and admission may change.
 * It is frozen when its revision is known, and never changes after that.
 */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Draft<T[Key]> }
    : T

/**
 * A copy that may be changed, of a value that is JSON. Throws a SchemaMismatch for a number that is not: JSON.parse reads 1e400 as infinity, which would be
 * stored as null.
 */
export function draftOf<T>(value: T): Draft<T> {
  return copy(value) as Draft<T>
}

function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return copyScalar(value)
  if (Array.isArray(value)) return value.map(copy)
  const made: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(made, key, copy((value as Record<string, unknown>)[key]))
  return made
}

/** An integer beyond 64 bits, which a body may have, is the nearest double. */
function copyScalar(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : beyondDouble(String(value))
  if (typeof value !== "bigint") return value
  const exact = exactNumber(value)
  return Number.isFinite(Number(exact)) ? exact : beyondDouble(String(value))
}
