import { type FieldError, fieldError, goJson } from "@pilothouse/api"
import { isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import type { SchemaNode } from "./structural/schema-node.ts"
import { sortedKeys } from "./structural/sorted-keys.ts"

/** Returns what is wrong with lists of type set and map: items that are there twice, each named once. */
export function listTypeErrors(object: JsonObject, root: SchemaNode): readonly FieldError[] {
  if (!root.hasListTypes) return noErrors
  const errors: FieldError[] = []
  checkFields(object, root, "", errors)
  return errors
}

const noErrors: readonly FieldError[] = []

function checkFields(object: JsonObject, node: SchemaNode, path: string, errors: FieldError[]): void {
  for (const key in object) {
    const value = object[key]
    if (typeof value !== "object" || value === null) continue
    const declared = node.properties.get(key)
    const child = declared ?? node.additional
    if (child?.hasListTypes) checkValue(value, child, declared === undefined ? `${path}[${key}]` : childPath(path, key), errors)
  }
}

function childPath(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`
}

function checkValue(value: unknown, node: SchemaNode, path: string, errors: FieldError[]): void {
  if (isJsonObject(value)) return checkFields(value, node, path, errors)
  if (!Array.isArray(value)) return
  const { "x-kubernetes-list-type": listType, "x-kubernetes-list-map-keys": keys = [] } = node.schema
  if (listType === "set") {
    for (const index of repeatedAt(value.map(tokenOf))) errors.push(fieldError.duplicate(`${path}[${index}]`, sortedKeys(value[index])))
  } else if (listType === "map") errors.push(...mapErrors(value, keys, path))
  const { items } = node
  if (items?.hasListTypes) for (const [index, item] of value.entries()) checkValue(item, items, `${path}[${index}]`, errors)
}

function mapErrors(list: readonly unknown[], keys: readonly string[], path: string): readonly FieldError[] {
  const strange = list.findIndex((item) => item !== null && !isJsonObject(item))
  if (strange !== -1) {
    return [fieldError.invalid(`${path}[${strange}]`, sortedKeys(list[strange]), "must be an object for an array of list-type map")]
  }
  const items = list as readonly (JsonObject | null)[]
  const [onlyKey] = keys.length === 1 ? keys : []
  const tokens = items.map((item) => (onlyKey === undefined ? goJson(keysIn(item, keys)) : keyToken(item, onlyKey)))
  return repeatedAt(tokens).map((index) => fieldError.duplicate(`${path}[${index}]`, sortedKeys(keysIn(items[index]!, keys))))
}

/** Items without the key are one. */
function keyToken(item: JsonObject | null, key: string): unknown {
  return item !== null && Object.hasOwn(item, key) ? tokenOf(item[key]) : undefined
}

/** The keys that an item has; an item that is null has none. */
function keysIn(item: JsonObject | null, keys: readonly string[]): JsonObject {
  if (item === null) return {}
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(item, key)).map((key) => [key, item[key]]))
}

/** Where a token is for the second time: a third one is not named. */
function repeatedAt(tokens: readonly unknown[]): readonly number[] {
  if (tokens.length < 2 || new Set(tokens).size === tokens.length) return []
  const times = new Map<unknown, number>()
  return [...tokens.keys()].filter((index) => {
    const before = times.get(tokens[index]) ?? 0
    times.set(tokens[index], before + 1)
    return before === 1
  })
}

/** Equal for equal values: objects and lists by their JSON, which begins as that of no text does. */
function tokenOf(value: unknown): unknown {
  if (typeof value === "string") return `"${value}`
  return typeof value === "object" && value !== null ? goJson(value) : value
}
