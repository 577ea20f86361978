import { compareText } from "@pilothouse/api"
import { fieldPath, itemPath } from "../../body/field-path.ts"
import { changedFields, changedItems, dropped, isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import { isTypeField, type SchemaNode } from "./structural/schema-node.ts"

/** Paths that are found in one object: more are never shown. */
const maxUnknown = 1000

/** Where pruning is. The path is put together only for what is dropped. */
interface Walk {
  readonly path: (string | number)[]
  readonly unknown: string[] | undefined
}

/** Returns the object without what its schema does not declare; the paths of that are added to `unknown` in byte order. */
export function prune(object: JsonObject, root: SchemaNode, unknown: string[] | undefined): JsonObject {
  const found: string[] | undefined = unknown && []
  const pruned = prunedValue(object, root, { path: [], unknown: found }) as JsonObject
  if (found !== undefined && found.length > 0) unknown?.push(...found.sort(compareText))
  return pruned
}

/** Without a schema nothing of an object is kept, and of a list all that is no object. */
function prunedValue(value: unknown, node: SchemaNode | undefined, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return value
  if (isJsonObject(value)) return changedFields(value, node?.preservesUnknown ? preservedField : prunedField, node, walk)
  return changedItems(value as readonly unknown[], node?.preservesUnknown ? preservedItem : prunedItem, node?.items, walk)
}

function prunedField(value: unknown, key: string | number, node: SchemaNode | undefined, walk: Walk): unknown {
  if (node?.isEmbedded && isTypeField(key as string)) return value
  const child = node?.properties.get(key as string)
  if (child !== undefined || node?.hasAdditional) return below(value, key, child ?? node?.additional, walk)
  report(key as string, walk)
  return dropped
}

/** Nothing is dropped but inside of what is declared. */
function preservedField(value: unknown, key: string | number, node: SchemaNode | undefined, walk: Walk): unknown {
  if (node?.isEmbedded && isTypeField(key as string)) return value
  const child = node?.properties.get(key as string)
  return child !== undefined || node?.hasAdditional ? below(value, key, child ?? node?.additional, walk) : value
}

function below(value: unknown, key: string | number, node: SchemaNode | undefined, walk: Walk): unknown {
  if (typeof value !== "object" || value === null) return value
  walk.path.push(key)
  const pruned = prunedValue(value, node, walk)
  walk.path.pop()
  return pruned
}

function prunedItem(value: unknown, index: string | number, items: SchemaNode | undefined, walk: Walk): unknown {
  return below(value, index, items, walk)
}

/** An item of a list that keeps what is unknown: its own fields are kept like those of the list. */
function preservedItem(value: unknown, index: string | number, items: SchemaNode | undefined, walk: Walk): unknown {
  if (items === undefined || typeof value !== "object" || value === null) return value
  walk.path.push(index)
  const pruned = isJsonObject(value)
    ? changedFields(value, preservedField, items, walk)
    : changedItems(value as readonly unknown[], preservedItem, items.items, walk)
  walk.path.pop()
  return pruned
}

function report(key: string, { path, unknown }: Walk): void {
  if (unknown === undefined || unknown.length >= maxUnknown) return
  let text = ""
  for (const part of path) text = typeof part === "number" ? itemPath(text, part) : fieldPath(text, part)
  unknown.push(fieldPath(text, key))
}
