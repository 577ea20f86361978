import { exactNumber, setOwn } from "@pilothouse/seams"

/**
 * An object on its way into the store: the server's own copy, which defaulting and admission may change.
 * It is frozen when its revision is known, and never changes after that.
 */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Draft<T[Key]> }
    : T

/** A copy that may be changed, of a value that is JSON already. */
export function draftOf<T>(value: T): Draft<T> {
  return copy(value) as Draft<T>
}

/** An integer beyond 64 bits, which a body may have, is the nearest double. */
function copy(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return typeof value === "bigint" ? exactNumber(value) : value
  if (Array.isArray(value)) return value.map(copy)
  const made: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(made, key, copy((value as Record<string, unknown>)[key]))
  return made
}
