import { deepEqual, type FieldError, fieldError, type Int64 } from "@pilothouse/api"

/** The rules that many fields share; each answers with what is wrong. */
export function nonNegative(value: Int64 | undefined, field: string): readonly FieldError[] {
  return value !== undefined && value < 0 ? [fieldError.invalid(field, value, "must be greater than or equal to 0")] : []
}

export function immutable(value: unknown, old: unknown, field: string): readonly FieldError[] {
  return deepEqual(value, old) ? [] : [fieldError.invalid(field, value ?? null, "field is immutable")]
}

export function oneOf(value: string | undefined, supported: readonly string[], field: string): readonly FieldError[] {
  if (value === undefined || value === "") return [fieldError.required(field)]
  return supported.includes(value) ? [] : [fieldError.notSupported(field, value, supported)]
}

export function required(value: string | undefined, field: string, why?: string): readonly FieldError[] {
  return value === undefined || value === "" ? [fieldError.required(field, why)] : []
}

export function named(value: string | undefined, check: (name: string) => readonly string[], field: string): readonly FieldError[] {
  if (value === undefined || value === "") return [fieldError.required(field)]
  return check(value).map((text) => fieldError.invalid(field, value, text))
}

/** A second one of a name. */
export function duplicates(names: readonly (string | undefined)[], fieldOf: (index: number) => string): readonly FieldError[] {
  const again = repeats(names)
  return names.flatMap((name, index) =>
    name !== undefined && name !== "" && again[index] ? [fieldError.duplicate(fieldOf(index), name)] : [],
  )
}

/** For each key whether it was there before. Linear: a list may have tens of thousands of items. */
export function repeats(keys: readonly unknown[]): readonly boolean[] {
  const seen = new Set<unknown>()
  return keys.map((key) => {
    const again = seen.has(key)
    seen.add(key)
    return again
  })
}
