import type { Schema } from "@pilothouse/api"
import fc from "fast-check"
import { anything, atomic, keyedBy, mapOf, number, object, raw, setOf, text } from "./schemas.ts"

/** Holds a field of every form. */
export const everyForm: Schema = object({
  name: text,
  size: number,
  inner: object({ a: text, b: number }),
  map: mapOf(text),
  structs: mapOf(object({ a: text })),
  whole: atomic(mapOf(text)),
  list: atomic(setOf(text)),
  tags: setOf(text),
  items: keyedBy(["name"], object({ name: text, size: number, tags: setOf(text) })),
  pairs: keyedBy(["a", "b"], object({ a: text, b: number, rest: mapOf(number) })),
  free: anything,
  opaque: raw,
})

const letter = fc.constantFrom("a", "b", "c")
const digit = fc.integer({ min: 0, max: 2 })
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    letter,
    digit,
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(letter, tie("value"), { maxKeys: 2 }),
  ),
})).value

/** A value of a schema, without items that are there twice and without nulls. */
export function valueOf({ type, items, fields, listType, listMapKeys = [] }: Schema): fc.Arbitrary<unknown> {
  switch (type) {
    case "string":
      return letter
    case "object":
      return fc.record(
        mapValues(fields ?? {}, ({ schema }) => valueOf(schema)),
        { requiredKeys: [] },
      )
    case "map":
      return fc.dictionary(letter, valueOf(items!), { maxKeys: 3 })
    case "list":
      if (listType === "set") return fc.uniqueArray(valueOf(items!), { maxLength: 4 })
      if (listType === "atomic") return fc.array(valueOf(items!), { maxLength: 3 })
      return fc.uniqueArray(keyedItem(items!, listMapKeys), {
        maxLength: 4,
        selector: (item) => JSON.stringify(listMapKeys.map((key) => item[key])),
      })
    case "any":
      return json
    default:
      return digit
  }
}

function keyedItem({ fields = {} }: Schema, keys: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(
    mapValues(fields, ({ schema }) => valueOf(schema)),
    { requiredKeys: [...keys] },
  )
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
