import { deepFreeze } from "@pilothouse/api"
import { setOwn } from "../../body/draft.ts"
import { changedFields, changedItems, dropped, isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import type { SchemaNode } from "./structural/schema-node.ts"

/**
 * Returns the object with its defaults. A null where the schema allows none becomes the default, or goes where there is none; in a list it stays. The
 * defaults are the schema's own, frozen.
 */
export function fillDefaults(object: JsonObject, root: SchemaNode): JsonObject {
  return filledValue(object, root) as JsonObject
}

function filledValue(value: unknown, node: SchemaNode): unknown {
  if (typeof value !== "object" || value === null) return value
  if (!isJsonObject(value)) return node.items === undefined ? value : changedItems(value as readonly unknown[], filledItem, node.items, 0)
  const filled = changedFields(value, filledField, node, 0)
  return node.defaults.length === 0 ? filled : withDefaults(value, filled, node)
}

function filledField(value: unknown, key: string | number, node: SchemaNode): unknown {
  const child = node.at(key as string)
  if (child === undefined) return value
  if (value !== null) return typeof value === "object" ? filledValue(value, child) : value
  if (child.isNullable) return value
  return child.default === undefined ? dropped : defaultOf(child)
}

function filledItem(value: unknown, _index: string | number, items: SchemaNode): unknown {
  if (value !== null) return filledValue(value, items)
  return items.isNullable || items.default === undefined ? value : defaultOf(items)
}

/** `filled` is the copy that may be changed, unless it is the object itself. */
function withDefaults(object: JsonObject, filled: JsonObject, node: SchemaNode): JsonObject {
  let made = filled
  for (const [key, child] of node.defaults) {
    if (Object.hasOwn(object, key)) continue
    if (made === object) made = { ...object }
    setOwn(made as Record<string, unknown>, key, defaultOf(child))
  }
  return made
}

/** The default of a node with its own defaults in it; the same one at every call. */
function defaultOf(node: SchemaNode): unknown {
  node.filledDefault ??= deepFreeze(filledValue(node.default, node))
  return node.filledDefault
}
