import { type JsonSchema, valuesSchema } from "../schema/json-schema.ts"

type Json = unknown
type JsonMap = Readonly<Record<string, Json>>

/** Reports whether a value is a JSON object. */
export function isMap(value: Json): value is JsonMap {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Returns the older item with the same keys as an item of a list of type map; undefined in any other list. */
export function itemFinder(schema: JsonSchema, oldItems: Json): (item: Json) => Json {
  const keys = schema["x-kubernetes-list-map-keys"] ?? []
  if (schema["x-kubernetes-list-type"] !== "map" || keys.length === 0 || !Array.isArray(oldItems)) return () => undefined
  let byKey: Map<string, Json> | undefined
  return (item) => {
    const key = compositeKey(item, keys)
    if (key === undefined) return undefined
    byKey ??= indexByKey(oldItems, keys)
    return byKey.get(key)
  }
}

function indexByKey(items: readonly Json[], keys: readonly string[]): Map<string, Json> {
  const byKey = new Map<string, Json>()
  for (const item of items) {
    const key = compositeKey(item, keys)
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item)
  }
  return byKey
}

/** Items without a key, or with one that is no scalar, have no counterpart. */
function compositeKey(item: Json, keys: readonly string[]): string | undefined {
  if (!isMap(item)) return undefined
  const parts = keys.map((key) => item[key])
  return parts.every((part) => ["string", "number", "boolean"].includes(typeof part)) ? JSON.stringify(parts) : undefined
}

/** A value beside the older value at the same place. Comparing them is done once, and only where it is needed. */
export class Correlation {
  private readonly schema: JsonSchema
  private readonly value: Json
  private readonly oldValue: Json
  private readonly findOldItem: (item: Json) => Json
  private equality: boolean | undefined

  constructor(schema: JsonSchema, value: Json, oldValue: Json) {
    this.schema = schema
    this.value = value
    this.oldValue = oldValue
    this.findOldItem = itemFinder(schema, oldValue)
  }

  /** Returns the correlation of a property; undefined if either value lacks it, or the schema. */
  key(name: string): Correlation | undefined {
    const { value, oldValue, schema } = this
    if (!isMap(value) || !isMap(oldValue) || !Object.hasOwn(value, name) || !Object.hasOwn(oldValue, name)) return undefined
    const property = schema.properties?.[name] ?? valuesSchema(schema)
    return property && new Correlation(property, value[name], oldValue[name])
  }

  /** Returns the correlation of an item; only lists of type map have any. */
  index(index: number): Correlation | undefined {
    const { value, schema } = this
    const item = Array.isArray(value) ? value[index] : undefined
    const oldItem = this.findOldItem(item)
    return oldItem === undefined || !schema.items ? undefined : new Correlation(schema.items, item, oldItem)
  }

  /** Reports whether the value is what it was. Items of lists of type map may have moved. */
  isUnchanged(): boolean {
    this.equality ??= this.compare()
    return this.equality
  }

  private compare(): boolean {
    const { value, oldValue } = this
    if (value === null || oldValue === null || value === undefined || oldValue === undefined) return (value ?? null) === (oldValue ?? null)
    if (Array.isArray(value)) return Array.isArray(oldValue) && this.compareItems(value, oldValue)
    if (isMap(value)) return isMap(oldValue) && this.compareProperties(value, oldValue)
    return value === oldValue
  }

  private compareItems(items: readonly Json[], oldItems: readonly Json[]): boolean {
    if (items.length !== oldItems.length) return false
    if (this.schema["x-kubernetes-list-type"] !== "map") return deepEqual(items, oldItems)
    return items.every((_item, index) => this.index(index)?.isUnchanged() ?? false)
  }

  private compareProperties(value: JsonMap, oldValue: JsonMap): boolean {
    const names = Object.keys(value)
    return names.length === Object.keys(oldValue).length && names.every((name) => this.key(name)?.isUnchanged() ?? false)
  }
}

function deepEqual(left: Json, right: Json): boolean {
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((item, index) => deepEqual(item, right[index]))
  if (!isMap(left) || !isMap(right)) return left === right
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length && names.every((name) => Object.hasOwn(right, name) && deepEqual(left[name], right[name]))
  )
}
