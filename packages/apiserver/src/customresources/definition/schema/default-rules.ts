import { deepEqual, type FieldError, fieldError, formatFieldErrors } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { CompiledRules, RuleNode } from "@pilothouse/cel/kubernetes"
import { embeddedValueErrors } from "../../schema/embedded-errors.ts"
import { coerceEmbeddedValue, EmbeddedMismatch } from "../../schema/embedded-resources.ts"
import { prune } from "../../schema/prune.ts"
import { type DefaultsCost, DefaultsRules } from "../../schema/rules.ts"
import type { JsonObject } from "../../schema/structural/changed-value.ts"
import { isTypeField, SchemaNode } from "../../schema/structural/schema-node.ts"
import { itemsOf, someSchema } from "../../schema/structural/schema-walk.ts"
import { sortedKeys } from "../../schema/structural/sorted-keys.ts"
import { Validation } from "../../schema/validation/result.ts"
import { ValueRules } from "../../schema/validation/value-rules.ts"
import { ErrorList } from "./error-list.ts"

/** From an object to a value inside of it: names of fields, and 0 for an item of a list. */
export type Steps = readonly (string | 0)[]

/** Where a schema stands below the object that has an apiVersion, a kind and metadata of its own. */
interface Place {
  readonly object: SchemaNode
  readonly steps: Steps
  /** Inside of the object's apiVersion, kind or metadata. */
  readonly insideMeta: boolean
  readonly path: string
}

/** How the defaults of a schema are validated. */
export interface DefaultOptions {
  /** Whether fields that the schema does not declare are refused. */
  readonly pruned: boolean
  /** Compiles the rules of the schema. */
  rules(): CompiledRules | undefined
  /** What rules have cost on the defaults of the definition. */
  readonly cost: DefaultsCost
}

/** One walk over the defaults of a schema. */
interface Walk {
  readonly pruned: boolean
  readonly rules: DefaultsRules
  readonly errors: ErrorList
}

/**
 * Returns what is wrong with the defaults of a structural schema: each must be what its schema and the rules in it allow, with valid metadata where it is
 * an object of its own, and, where `pruned`, without fields that the schema does not declare.
 */
export function defaultErrors(schema: JSONSchemaProps, path: string, { pruned, rules, cost }: DefaultOptions): readonly FieldError[] {
  const walk = { pruned, rules: new DefaultsRules(cost), errors: new ErrorList() }
  if (someSchema(schema, hasDefault)) addDefaultErrors({ schema: asObject(schema), path, rules: rules()?.root }, undefined, walk)
  return walk.errors.all
}

/** The root of a schema has metadata, as an embedded resource has. */
export function asObject(schema: JSONSchemaProps): JSONSchemaProps {
  return { ...schema, "x-kubernetes-embedded-resource": true }
}

export function hasDefault(schema: JSONSchemaProps): boolean {
  return schema.default !== undefined
}

/** A schema, where it is in its definition, and the rules in it. */
interface Ruled {
  readonly schema: JSONSchemaProps
  readonly path: string
  readonly rules: RuleNode | undefined
}

function addDefaultErrors(ruled: Ruled, outer: Place | undefined, walk: Walk): void {
  const { schema, path, rules } = ruled
  const isObject = schema["x-kubernetes-embedded-resource"] === true
  const place =
    isObject || outer === undefined ? { object: new SchemaNode(schema), steps: [], insideMeta: false, path } : { ...outer, path }
  if (schema.default !== undefined) {
    const byRules = () => walk.rules.errors(rules, schema.default, `${path}.default`)
    walk.errors.add(...(place.insideMeta ? metaDefaultErrors(schema, place, byRules) : plainDefaultErrors(ruled, walk.pruned, byRules)))
  }
  addErrorsBelow(ruled, place, walk)
}

/** Returns at once when no further error is to be found. */
function addErrorsBelow({ schema, path, rules }: Ruled, place: Place, walk: Walk): void {
  const isOver = () => walk.errors.isFull || walk.rules.isSpent
  if (isOver()) return
  const [isObject, items] = [schema["x-kubernetes-embedded-resource"] === true, itemsOf(schema)]
  if (items !== undefined) {
    addDefaultErrors({ schema: items, path: `${path}.items`, rules: rules?.items }, { ...place, steps: [...place.steps, 0] }, walk)
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (isOver()) return
    const inner = { ...place, steps: [...place.steps, name], insideMeta: place.insideMeta || (isObject && isTypeField(name)) }
    addDefaultErrors({ schema: property, path: `${path}.properties[${name}]`, rules: rules?.properties.get(name) }, inner, walk)
  }
}

type Errors = () => readonly FieldError[]

function plainDefaultErrors({ schema, path }: Omit<Ruled, "rules">, pruned: boolean, byRules: Errors): readonly FieldError[] {
  const value = schema.default
  const node = new SchemaNode(schema)
  const at = `${path}.default`
  const unknown = pruned && isContainer(value) && !deepEqual(prune(value, node, undefined), value)
  return [
    ...(unknown ? [fieldError.invalid(at, sortedKeys(value), "must not have unknown fields")] : []),
    ...(coercionError(value, node, at) ??
      firstErrors(
        () => embeddedValueErrors(value, node, at),
        () => valueErrors(schema, at),
        byRules,
      )),
  ]
}

/** Of a default inside of metadata, the object that it would be in is checked, and the default is what is wrong with it. */
function metaDefaultErrors(schema: JSONSchemaProps, { object, steps, path }: Place, byRules: Errors): readonly FieldError[] {
  const value = wrapped(schema.default, steps)
  const typed = { apiVersion: "validation/v1", kind: "Validation", ...(value as object) }
  const at = `${path}.default`
  const wrong = coercionError(typed, object, "") ?? embeddedValueErrors(typed, object, "")
  if (wrong.length === 0) return firstErrors(() => valueErrors(schema, at), byRules)
  const relative = wrong.map((error) => ({ ...error, field: error.field.replace(/^\./, "") }))
  return [fieldError.invalid(at, sortedKeys(schema.default), `must result in valid metadata: ${formatFieldErrors(relative)}`)]
}

/** Each check holds for what those before it allow. */
function firstErrors(...checks: readonly Errors[]): readonly FieldError[] {
  for (const check of checks) {
    const errors = check()
    if (errors.length > 0) return errors
  }
  return []
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

/** Returns an object in which a value is where the steps lead to. */
export function wrapped(value: unknown, steps: Steps): unknown {
  return steps.reduceRight<unknown>((inner, step) => (step === 0 ? [inner] : { [step]: inner }), value)
}

function isContainer(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null
}
