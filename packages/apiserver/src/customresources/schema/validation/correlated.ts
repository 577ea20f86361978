import { deepEqual, goJson } from "@pilothouse/api"
import { isJsonObject, type JsonObject } from "../structural/changed-value.ts"
import type { SchemaNode } from "../structural/schema-node.ts"

/**
 * A value beside the one that was at its place before an update. Fields and keys have the same place by name, items of a list of type map by their keys;
 * items of other lists have none, and neither has what the schema says nothing about.
 */
export class Correlated {
  readonly #node: SchemaNode
  readonly #old: unknown
  readonly #value: unknown
  readonly #children = new Map<string | number, Correlated>()
  #isEqual: boolean | undefined
  /** The items of the old list by their keys, the first one of each. */
  #oldItems: ReadonlyMap<string, unknown> | undefined

  constructor(node: SchemaNode, old: unknown, value: unknown) {
    this.#node = node
    this.#old = old
    this.#value = value
  }

  /** A field or key; undefined where either side has none. */
  key(key: string): Correlated | undefined {
    const [old, value] = [this.#old, this.#value]
    if (!isJsonObject(old) || !isJsonObject(value) || !Object.hasOwn(old, key) || !Object.hasOwn(value, key)) return undefined
    return this.#child(key, this.#node.at(key), old[key], value[key])
  }

  /** An item of the new list; undefined where the old list has none of its keys. */
  index(index: number): Correlated | undefined {
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old) || !this.#isMapList) return undefined
    const item: unknown = this.#value[index]
    const old = this.#oldItem(item)
    return old === undefined ? undefined : this.#child(index, this.#node.items, old, item)
  }

  /** Whether the value is what it was before. What the schema says nothing about is never equal, but for lists, which are compared as a whole. */
  get isEqual(): boolean {
    this.#isEqual ??= this.#compare()
    return this.#isEqual
  }

  #child(key: string | number, node: SchemaNode | undefined, old: unknown, value: unknown): Correlated | undefined {
    const known = this.#children.get(key)
    if (known !== undefined || node === undefined) return known
    const child = new Correlated(node, old, value)
    this.#children.set(key, child)
    return child
  }

  #compare(): boolean {
    const [old, value] = [this.#old, this.#value]
    if (Array.isArray(old) && Array.isArray(value)) return old.length === value.length && this.#equalItems(old, value)
    if (!isJsonObject(old) || !isJsonObject(value)) return deepEqual(old, value)
    const keys = Object.keys(value)
    return keys.length === Object.keys(old).length && keys.every((key) => this.key(key)?.isEqual === true)
  }

  #equalItems(old: readonly unknown[], value: readonly unknown[]): boolean {
    if (!this.#isMapList) return deepEqual(old, value)
    return value.every((_, index) => this.index(index)?.isEqual === true)
  }

  get #isMapList(): boolean {
    return this.#node.schema["x-kubernetes-list-type"] === "map" && this.#node.items !== undefined
  }

  #oldItem(item: unknown): JsonObject | undefined {
    const keys = this.#node.schema["x-kubernetes-list-map-keys"] ?? []
    const text = keysOf(item, keys)
    if (text === undefined) return undefined
    this.#oldItems ??= firstByKeys(this.#old as readonly unknown[], keys)
    return this.#oldItems.get(text) as JsonObject | undefined
  }
}

function firstByKeys(items: readonly unknown[], keys: readonly string[]): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const item of items) {
    const text = keysOf(item, keys)
    if (text !== undefined && !found.has(text)) found.set(text, item)
  }
  return found
}

/** Undefined for an item that lacks a key, or has one that is no scalar. */
function keysOf(item: unknown, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item) || keys.length === 0) return undefined
  const values = keys.map((key) => (Object.hasOwn(item, key) ? item[key] : undefined))
  return values.every(isScalar) ? goJson(values) : undefined
}

function isScalar(value: unknown): boolean {
  return value !== undefined && value !== null && typeof value !== "object"
}
