import { checkDns1035Label, checkPathSegmentName, type FieldError, fieldError, type ObjectMeta } from "@pilothouse/api"
import { SchemaMismatch } from "../../body/coerced-place.ts"
import { validateObjectMeta } from "../../validation/object-meta.ts"
import { metadataOf, orMismatch } from "./embedded-resources.ts"
import { isJsonObject, type JsonObject } from "./structural/changed-value.ts"
import type { SchemaNode } from "./structural/schema-node.ts"
import { sortedKeys } from "./structural/sorted-keys.ts"

/** Returns what is wrong with the apiVersion, kind and metadata of embedded resources. */
export function embeddedErrors(object: JsonObject, root: SchemaNode): readonly FieldError[] {
  if (!root.hasEmbedded) return noErrors
  const errors: FieldError[] = []
  checkFields(object, root, "", errors)
  return errors
}

const noErrors: readonly FieldError[] = []

/** Returns the same for a value of a schema, which may be an embedded resource itself. */
export function embeddedValueErrors(value: unknown, node: SchemaNode, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  checkValue(value, node, path, errors)
  return errors
}

function checkValue(value: unknown, node: SchemaNode, path: string, errors: FieldError[]): void {
  if (!node.hasEmbedded) return
  if (isJsonObject(value)) {
    if (node.isEmbedded) errors.push(...resourceErrors(value, path))
    checkFields(value, node, path, errors)
  } else if (Array.isArray(value) && node.items !== undefined) {
    for (const [index, item] of value.entries()) checkValue(item, node.items, `${path}[${index}]`, errors)
  }
}

function checkFields(object: JsonObject, node: SchemaNode, path: string, errors: FieldError[]): void {
  for (const key in object) {
    const declared = node.properties.get(key)
    if (declared !== undefined) checkValue(object[key], declared, path === "" ? key : `${path}.${key}`, errors)
    else if (node.additional !== undefined) checkValue(object[key], node.additional, `${path}[${key}]`, errors)
  }
}

function resourceErrors(object: JsonObject, path: string): readonly FieldError[] {
  const missing = ["apiVersion", "kind"].filter((key) => !Object.hasOwn(object, key)).map((key) => fieldError.required(`${path}.${key}`))
  const { apiVersion, kind, metadata } = object
  return [
    ...missing,
    ...(Object.hasOwn(object, "apiVersion") ? wordErrors(apiVersion, `${path}.apiVersion`, apiVersionFault) : []),
    ...(Object.hasOwn(object, "kind") ? wordErrors(kind, `${path}.kind`, kindFault) : []),
    ...(Object.hasOwn(object, "metadata") ? metadataErrors(metadata, `${path}.metadata`) : []),
  ]
}

function wordErrors(value: unknown, field: string, faultOf: (text: string) => string | undefined): readonly FieldError[] {
  if (typeof value !== "string") return [fieldError.invalid(field, sortedKeys(value), "must be a string")]
  const fault = value === "" ? "must not be empty" : faultOf(value)
  return fault === undefined ? [] : [fieldError.invalid(field, value, fault)]
}

function apiVersionFault(text: string): string | undefined {
  return text.split("/").length > 2 ? `unexpected GroupVersion string: ${text}` : undefined
}

function kindFault(text: string): string | undefined {
  const faults = checkDns1035Label(text.toLowerCase())
  return faults.length === 0 ? undefined : `may have mixed case, but should otherwise match: ${faults.join(",")}`
}

function metadataErrors(value: unknown, field: string): readonly FieldError[] {
  const metadata = orMismatch(() => metadataOf(value, { unknownFields: [] }))
  if (metadata instanceof SchemaMismatch) return [fieldError.invalid(field, sortedKeys(value), metadata.message)]
  const { name = "", namespace = "", generation = 0, ...others } = metadata as ObjectMeta
  const named = { ...others, ...(namespace === "" ? {} : { namespace }), name: name === "" ? "fakename" : name }
  const errors = validateObjectMeta(named, { namespaced: namespace !== "", names: checkPathSegmentName, plainFinalizers: true })
  const negative = generation < 0 ? [fieldError.invalid("metadata.generation", generation, "must be greater than or equal to 0")] : []
  return [...errors, ...negative].map((error) => ({ ...error, field: `${field}${error.field.slice("metadata".length)}` }))
}
