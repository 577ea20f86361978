import { deepFreeze } from "@pilothouse/api"
import { setOwn } from "../../body/draft.ts"
import { changedFields, changedItems, dropped, isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import type { SchemaNode } from "./structural/schema-node.ts"

/**
 * Returns the object with its defaults. A null where the schema allows none becomes the default, or goes where there is none; in a list it stays. The
 * defaults are the schema's own, frozen.
 */
export function fillDefaults(object: JsonObject, root: SchemaNode, options: DefaultOptions = {}): JsonObject {
  return filledValue(object, root, options) as JsonObject
}

/** How defaults are filled in. */
export interface DefaultOptions {
  /** Leaves a null that the schema does not allow and that has no default to the validation, which refuses it: so it is with what is applied. */
  readonly keepNulls?: boolean
}

function filledValue(value: unknown, node: SchemaNode, options: DefaultOptions): unknown {
  if (typeof value !== "object" || value === null) return value
  if (!isJsonObject(value))
    return node.items === undefined ? value : changedItems(value as readonly unknown[], filledItem, node.items, options)
  const filled = changedFields(value, filledField, node, options)
  return node.defaults.length === 0 ? filled : withDefaults(value, filled, node)
}

function filledField(value: unknown, key: string | number, node: SchemaNode, options: DefaultOptions): unknown {
  const child = node.at(key as string)
  if (child === undefined) return value
  if (value !== null) return typeof value === "object" ? filledValue(value, child, options) : value
  if (child.isNullable) return value
  if (child.default !== undefined) return defaultOf(child)
  return options.keepNulls && child.isTyped ? value : dropped
}

function filledItem(value: unknown, _index: string | number, items: SchemaNode, options: DefaultOptions): unknown {
  if (value !== null) return filledValue(value, items, options)
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
  node.filledDefault ??= deepFreeze(filledValue(node.default, node, {}))
  return node.filledDefault
}
