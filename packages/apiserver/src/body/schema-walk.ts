import type { Schema } from "@pilothouse/api"

/** The result for a part of a schema; undefined where there is nothing to do, so that the part is skipped. */
export type MadeOf<T> = (part: Schema) => T | undefined

/**
 * Makes something of every part of a schema, once, from what was made of the parts below it. A type that holds itself is taken to have nothing to
 * do there: so it is with the one there is, the schema of a custom resource.
 */
export function walkSchema<T>(schema: Schema, make: (part: Schema, madeOf: MadeOf<T>) => T | undefined): T | undefined {
  const known = new Map<Schema, T | undefined>()
  const madeOf: MadeOf<T> = (part) => {
    if (known.has(part)) return known.get(part)
    known.set(part, undefined)
    const made = make(part, madeOf)
    known.set(part, made)
    return made
  }
  return madeOf(schema)
}

/** Returns the fields of an object that have something to do. */
export function fieldsBelow<T>({ fields = {} }: Schema, madeOf: MadeOf<T>): readonly (readonly [key: string, made: T])[] {
  return Object.entries(fields).flatMap(([key, field]) => {
    const made = madeOf(field.schema)
    return made === undefined ? [] : [[key, made] as const]
  })
}

/** Does to every item of a list or map what is to be done to one. */
export function eachItem({ items }: Schema, madeOf: MadeOf<(item: unknown) => void>): ((value: unknown) => void) | undefined {
  const fill = items && madeOf(items)
  if (fill === undefined) return undefined
  return (value) => {
    for (const item of Object.values(value as object)) fill(item)
  }
}
