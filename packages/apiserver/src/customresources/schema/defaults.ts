import { deepFreeze } from "@pilothouse/api"
import { setOwn, stringifyJson } from "@pilothouse/seams"
import { maxObjectBytes, ObjectTooLarge } from "../../storage/object-size.ts"
import { changedFields, changedItems, dropped, isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import type { SchemaNode } from "./structural/schema-node.ts"

/**
 * Returns the object with its defaults. A null where the schema allows none becomes the default, or goes where there is none; in a list it stays. The
 * defaults are the schema's own, frozen.
 */
export function fillDefaults(object: JsonObject, root: SchemaNode, options: DefaultOptions = {}): JsonObject {
  return filledValue(object, root, { ...options, room: maxObjectBytes }) as JsonObject
}

/** How defaults are filled in. */
export interface DefaultOptions {
  /**
   * Leaves a null that the schema does not allow and that has no default to the validation, which refuses it, or counts it where any type is allowed: so
   * it is with what is applied. It goes when the object is read.
   */
  readonly keepNulls?: boolean
}

interface Filling extends DefaultOptions {
  /**
   * Bytes that defaults may still add to the object. 60 KB of empty items become 400 MB by 200 defaults each: what cannot be stored is refused as it would
   * be then, before it is made.
   */
  room: number
}

function filledValue(value: unknown, node: SchemaNode, filling: Filling): unknown {
  if (typeof value !== "object" || value === null) return value
  if (!isJsonObject(value))
    return node.items === undefined ? value : changedItems(value as readonly unknown[], filledItem, node.items, filling)
  const filled = changedFields(value, filledField, node, filling)
  return node.defaults.length === 0 ? filled : withDefaults(value, filled, node, filling)
}

function filledField(value: unknown, key: string | number, node: SchemaNode, filling: Filling): unknown {
  const child = node.at(key as string)
  if (child === undefined) return value
  if (value !== null) return typeof value === "object" ? filledValue(value, child, filling) : value
  if (child.isNullable) return value
  if (child.default !== undefined) return defaultOf(child, filling)
  return filling.keepNulls === true ? value : dropped
}

function filledItem(value: unknown, _index: string | number, items: SchemaNode, filling: Filling): unknown {
  if (value !== null) return filledValue(value, items, filling)
  return items.isNullable || items.default === undefined ? value : defaultOf(items, filling)
}

/** `filled` is the copy that may be changed, unless it is the object itself. */
function withDefaults(object: JsonObject, filled: JsonObject, node: SchemaNode, filling: Filling): JsonObject {
  let made = filled
  for (const [key, child] of node.defaults) {
    if (Object.hasOwn(object, key)) continue
    if (made === object) made = { ...object }
    setOwn(made as Record<string, unknown>, key, defaultOf(child, filling))
  }
  return made
}

/** The default of a node with its own defaults in it; the same one at every call. It takes its room. */
function defaultOf(node: SchemaNode, filling: Filling): unknown {
  node.filledDefault ??= deepFreeze(filledValue(node.default, node, { room: maxObjectBytes }))
  node.defaultLength ??= stringifyJson(node.filledDefault).length
  filling.room -= node.defaultLength
  if (filling.room < 0) throw new ObjectTooLarge()
  return node.filledDefault
}
