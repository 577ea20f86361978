import type { FieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"

/** Returns what is wrong with the defaults of a structural schema. */
export function defaultErrors(_schema: JSONSchemaProps, _path: string, _options: { readonly pruned: boolean }): readonly FieldError[] {
  return []
}

/** Whether a schema has defaults with fields that it does not declare. */
export function hasUnprunedDefaults(_schema: JSONSchemaProps): boolean {
  return false
}
