import { compareText, type FieldError, fieldError, formatFieldError, type Schema } from "@pilothouse/api"
import { schemaOfType } from "@pilothouse/api/schemas"
import { lazy, messageOf } from "@pilothouse/seams"
import { coerceToSchema, type Findings } from "../../body/coerce-to-schema.ts"
import { SchemaMismatch } from "../../body/coerced-place.ts"
import { changedFields, changedItems, dropped, isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import { type SchemaNode } from "./structural/schema-node.ts"
import { sortedKeys } from "./structural/sorted-keys.ts"

/** The schema of metadata, which is the same for every kind. */
export const objectMetaSchema: () => Schema = lazy(() => schemaOfType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")!)

/** How the types of embedded resources are coerced. */
export interface CoerceOptions {
  /** Drops what is not of its type, as when an old object is read. Otherwise it is refused. */
  readonly dropInvalid?: boolean
  /** Receives the paths of unknown fields of metadata, in byte order. */
  readonly unknown?: string[] | undefined
}

interface Walk extends CoerceOptions {
  readonly path: string[]
}

/**
 * Returns the object with the metadata of its embedded resources as Go's types have it: unknown fields are gone, and zero values that Go leaves out. Throws
 * a SchemaMismatch for an apiVersion, kind or metadata of a wrong type.
 */
export function coerceEmbedded(object: JsonObject, root: SchemaNode, options: CoerceOptions = {}): JsonObject {
  if (!root.hasEmbedded) return object
  const found: string[] | undefined = options.unknown && []
  const coerced = changedFields(object, coercedField, root, { ...options, unknown: found, path: [] })
  if (found !== undefined) options.unknown?.push(...found.sort(compareText))
  return coerced
}

/** Returns a value of a schema, which may be an embedded resource itself, in the same way. Throws an EmbeddedMismatch. */
export function coerceEmbeddedValue(value: unknown, node: SchemaNode, options: CoerceOptions = {}): unknown {
  return coercedValue(value, node, { ...options, path: [] })
}

function coercedValue(value: unknown, node: SchemaNode, walk: Walk): unknown {
  if (!node.hasEmbedded) return value
  if (isJsonObject(value)) return changedFields(value, coercedField, node, walk)
  return Array.isArray(value) && node.items !== undefined ? changedItems(value, coercedItem, node.items, walk) : value
}

function coercedField(value: unknown, key: string | number, node: SchemaNode, walk: Walk): unknown {
  const name = key as string
  if (node.isEmbedded && !node.isRoot) {
    if (name === "metadata") return coercedMetadata(value, walk)
    if ((name === "apiVersion" || name === "kind") && typeof value !== "string") return wrongWord(name, value, walk)
  }
  const declared = node.properties.get(name)
  const child = declared ?? node.additional
  if (child === undefined || typeof value !== "object") return value
  return below(value, declared === undefined ? `[${name}]` : `.${name}`, child, walk)
}

function coercedItem(value: unknown, index: string | number, items: SchemaNode, walk: Walk): unknown {
  return below(value, `[${index}]`, items, walk)
}

function below(value: unknown, step: string, node: SchemaNode, walk: Walk): unknown {
  walk.path.push(step)
  const made = coercedValue(value, node, walk)
  walk.path.pop()
  return made
}

function pathOf({ path }: Walk, field: string): string {
  const text = `${path.join("")}.${field}`
  return text.startsWith(".") ? text.slice(1) : text
}

function wrongWord(name: string, value: unknown, walk: Walk): unknown {
  if (walk.dropInvalid) return dropped
  return refuse(pathOf(walk, name), value, "must be a string")
}

/** An apiVersion, kind or metadata of a wrong type. */
export class EmbeddedMismatch extends SchemaMismatch {
  /** Its path begins at the value that was coerced. */
  readonly error: FieldError

  constructor(error: FieldError) {
    super(formatFieldError(error))
    this.error = error
  }
}

function refuse(path: string, value: unknown, why: string): never {
  throw new EmbeddedMismatch(fieldError.invalid(path, sortedKeys(value), why))
}

function coercedMetadata(value: unknown, walk: Walk): unknown {
  const found: Findings = { unknownFields: [] }
  const coerced = orMismatch(() => metadataOf(value, found))
  if (!(coerced instanceof SchemaMismatch)) {
    for (const field of found.unknownFields) walk.unknown?.push(`${pathOf(walk, "metadata")}.${field}`)
    return coerced
  }
  if (!walk.dropInvalid) return refuse(pathOf(walk, "metadata"), value, coerced.message)
  return isJsonObject(value) ? validFields(value) : value
}

/** Null is metadata without fields. */
export function metadataOf(value: unknown, findings: Findings): unknown {
  return value === null ? {} : coerceToSchema(value, objectMetaSchema(), findings)
}

export function orMismatch(coerce: () => unknown): unknown {
  try {
    return coerce()
  } catch (error) {
    return error instanceof SchemaMismatch ? error : new SchemaMismatch(messageOf(error))
  }
}

/** Metadata with the fields that are of their types. */
function validFields(metadata: JsonObject): JsonObject {
  const fields = Object.entries(metadata).map(([key, value]) => orMismatch(() => metadataOf({ [key]: value }, { unknownFields: [] })))
  return Object.assign({}, ...fields.filter((field) => !(field instanceof SchemaMismatch))) as JsonObject
}
