import { deepEqual, type FieldError, fieldError, formatFieldErrors } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { Draft } from "../../../body/draft.ts"
import { coerceEmbeddedValue, EmbeddedMismatch, embeddedValueErrors } from "../../schema/embedded-resources.ts"
import { prune } from "../../schema/prune.ts"
import { isJsonObject, type JsonObject } from "../../schema/structural/changed-value.ts"
import { isTypeField, SchemaNode } from "../../schema/structural/schema-node.ts"
import { itemsOf, schemaOr, someSchema } from "../../schema/structural/schema-walk.ts"
import { sortedKeys } from "../../schema/structural/sorted-keys.ts"
import { Validation } from "../../schema/validation/result.ts"
import { ValueRules } from "../../schema/validation/value-rules.ts"
import { ErrorList } from "./error-list.ts"
import { structuralErrors, structuralFault } from "./structural-schema.ts"

/** From an object to a value inside of it: names of fields, and 0 for an item of a list. */
type Steps = readonly (string | 0)[]

/** Where a schema stands below the object that has an apiVersion, a kind and metadata of its own. */
interface Place {
  readonly object: SchemaNode
  readonly steps: Steps
  /** Inside of the object's apiVersion, kind or metadata. */
  readonly insideMeta: boolean
  readonly path: string
}

/**
 * Returns what is wrong with the defaults of a structural schema: each must be what its schema allows, with valid metadata where it is an object of its own,
 * and, where `pruned`, without fields that the schema does not declare.
 */
export function defaultErrors(schema: JSONSchemaProps, path: string, { pruned }: { readonly pruned: boolean }): readonly FieldError[] {
  const errors = new ErrorList()
  if (someSchema(schema, hasDefault)) addDefaultErrors(asObject(schema), undefined, { path, pruned }, errors)
  return errors.all
}

/** The root of a schema has metadata, as an embedded resource has. */
function asObject(schema: JSONSchemaProps): JSONSchemaProps {
  return { ...schema, "x-kubernetes-embedded-resource": true }
}

function hasDefault(schema: JSONSchemaProps): boolean {
  return schema.default !== undefined
}

function addDefaultErrors(
  schema: JSONSchemaProps,
  outer: Place | undefined,
  { path, pruned }: { readonly path: string; readonly pruned: boolean },
  errors: ErrorList,
): void {
  if (errors.isFull) return
  const isObject = schema["x-kubernetes-embedded-resource"] === true
  const place =
    isObject || outer === undefined ? { object: new SchemaNode(schema), steps: [], insideMeta: false, path } : { ...outer, path }
  if (schema.default !== undefined)
    errors.add(...(place.insideMeta ? metaDefaultErrors(schema, place) : plainDefaultErrors(schema, path, pruned)))
  const items = itemsOf(schema)
  if (items !== undefined) addDefaultErrors(items, { ...place, steps: [...place.steps, 0] }, { path: `${path}.items`, pruned }, errors)
  const { properties = {} } = schema
  for (const name of Object.keys(properties)) {
    const inner = { ...place, steps: [...place.steps, name], insideMeta: place.insideMeta || (isObject && isTypeField(name)) }
    addDefaultErrors(properties[name]!, inner, { path: `${path}.properties[${name}]`, pruned }, errors)
  }
}

function plainDefaultErrors(schema: JSONSchemaProps, path: string, pruned: boolean): readonly FieldError[] {
  const value = schema.default
  const node = new SchemaNode(schema)
  const at = `${path}.default`
  const unknown = pruned && isContainer(value) && !deepEqual(prune(value, node, undefined), value)
  return [
    ...(unknown ? [fieldError.invalid(at, sortedKeys(value), "must not have unknown fields")] : []),
    ...(coercionError(value, node, at) ?? firstErrors(embeddedValueErrors(value, node, at), () => valueErrors(schema, at))),
  ]
}

/** Of a default inside of metadata, the object that it would be in is checked, and the default is what is wrong with it. */
function metaDefaultErrors(schema: JSONSchemaProps, { object, steps, path }: Place): readonly FieldError[] {
  const value = wrapped(schema.default, steps)
  const typed = { apiVersion: "validation/v1", kind: "Validation", ...(value as object) }
  const at = `${path}.default`
  const wrong = coercionError(typed, object, "") ?? embeddedValueErrors(typed, object, "")
  if (wrong.length === 0) return valueErrors(schema, at)
  const relative = wrong.map((error) => ({ ...error, field: error.field.replace(/^\./, "") }))
  return [fieldError.invalid(at, sortedKeys(schema.default), `must result in valid metadata: ${formatFieldErrors(relative)}`)]
}

function firstErrors(errors: readonly FieldError[], next: () => readonly FieldError[]): readonly FieldError[] {
  return errors.length > 0 ? errors : next()
}

/** The error of an apiVersion, kind or metadata that cannot be decoded; undefined where all can. */
function coercionError(value: unknown, node: SchemaNode, path: string): readonly FieldError[] | undefined {
  try {
    coerceEmbeddedValue(value, node)
    return undefined
  } catch (error) {
    if (!(error instanceof EmbeddedMismatch)) throw error
    const { field, ...rest } = error.error
    return [{ ...rest, field: field.startsWith("[") ? `${path}${field}` : `${path}.${field}` }]
  }
}

function valueErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const run = new Validation(path)
  new ValueRules(schema, { ofDefault: true }).validate(schema.default, run)
  return run.result.errors
}

/** Puts the metadata of embedded resources in the defaults of a structural schema into the form in which it is stored of every object. */
export function coerceDefaults(schema: Draft<JSONSchemaProps>): void {
  if (!someSchema(schema, hasDefault) || structuralFault(schema) !== undefined || structuralErrors(schema, "").length > 0) return
  coerceBelow(schema, asObject(schema), false)
}

function coerceBelow(schema: Draft<JSONSchemaProps>, read: JSONSchemaProps, insideMeta: boolean): void {
  const isObject = read["x-kubernetes-embedded-resource"] === true
  const inMeta = insideMeta && !isObject
  if (schema.default !== undefined && !inMeta) schema.default = coercedOrSame(schema.default, new SchemaNode(read))
  const { items, properties = {} } = schema
  if (items !== undefined) coerceBelow(items as Draft<JSONSchemaProps>, items as JSONSchemaProps, inMeta)
  for (const name of Object.keys(properties)) {
    coerceBelow(properties[name]!, properties[name]!, inMeta || (isObject && isTypeField(name)))
  }
}

/** What cannot be decoded is refused when the definition is validated. */
function coercedOrSame(value: unknown, node: SchemaNode): unknown {
  try {
    return coerceEmbeddedValue(value, node)
  } catch (error) {
    if (error instanceof EmbeddedMismatch) return value
    throw error
  }
}

/** Whether a schema has a default with fields that the schema does not declare; false where that cannot be said. */
export function hasUnprunedDefaults(schema: JSONSchemaProps): boolean {
  if (!someSchema(schema, hasDefault) || (schema.default !== undefined && !isJsonObject(schema.default))) return false
  return isUnprunedBelow(schema, [], new SchemaNode(asObject(schema)))
}

function isUnprunedBelow(schema: JSONSchemaProps, steps: Steps, root: SchemaNode): boolean {
  if (schema.default !== undefined && isUnpruned(schema.default, steps, root)) return true
  const { properties = {} } = schema
  const [items, others] = [itemsOf(schema), schemaOr(schema.additionalProperties)]
  if (others !== undefined && isUnprunedBelow(others, [...steps, "*"], root)) return true
  if (items !== undefined && isUnprunedBelow(items, [...steps, 0], root)) return true
  return Object.keys(properties).some((name) => isUnprunedBelow(properties[name]!, [...steps, name], root))
}

function isUnpruned(value: unknown, steps: Steps, root: SchemaNode): boolean {
  const coerced = coerceEmbeddedValue(wrapped(value, steps), root, { dropInvalid: true }) as JsonObject
  return !deepEqual(unwrapped(prune(coerced, root, undefined), steps), value)
}

function wrapped(value: unknown, steps: Steps): unknown {
  return steps.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value)
}

function unwrapped(value: unknown, steps: Steps): unknown {
  return steps.reduce<unknown>((inner, step) => (inner as Readonly<Record<string | number, unknown>> | undefined)?.[step], value)
}

function isContainer(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null
}
