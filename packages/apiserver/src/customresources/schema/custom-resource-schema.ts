import type { FieldError } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import { type Clock, lazy } from "@pilothouse/seams"
import { type DefaultOptions, fillDefaults } from "./defaults.ts"
import { embeddedErrors } from "./embedded-errors.ts"
import { type CoerceOptions, coerceEmbedded } from "./embedded-resources.ts"
import { loadPatterns } from "./formats/pattern.ts"
import { listTypeErrors } from "./list-types.ts"
import { prune } from "./prune.ts"
import type { JsonObject } from "./structural/changed-value.ts"
import { SchemaNode } from "./structural/schema-node.ts"
import { someSchema } from "./structural/schema-walk.ts"
import { Correlated } from "./validation/correlated.ts"
import { Validation } from "./validation/result.ts"
import { ValueRules, validateChild } from "./validation/value-rules.ts"

export type { CoerceOptions } from "./embedded-resources.ts"
export type { JsonObject } from "./structural/changed-value.ts"

/**
 * What an API server does to the objects of one version of a custom resource because of its schema. Every function leaves its argument as it is,
 * and returns the same reference where it finds nothing to do: parts that are not changed are shared. The metadata at the root is left alone.
 * An object is JSON, its numbers as `exactNumber` has them.
 *
 * Of a body: prune, coerceEmbedded, fillDefaults. Of a stored object: the same with `dropInvalid`, or fillDefaults alone where its schema is that which it
 * was written with.
 */
export interface CustomResourceSchema {
  /** Loads what `validate` and `validateStatus` need; undefined where that is there already, which it is for most schemas. */
  prepare(clock: Clock): Promise<void> | undefined
  /** Returns the object without the fields that the schema does not declare; their paths ("spec.list[0].x") are added to `unknown`, in byte order. */
  prune(object: JsonObject, unknown?: string[]): JsonObject
  /**
   * Returns the object with the metadata of its embedded resources decoded, as it is of every object. Throws a SchemaMismatch, whose message is what a
   * decoder says, for an apiVersion, kind or metadata of a wrong type.
   */
  coerceEmbedded(object: JsonObject, options?: CoerceOptions): JsonObject
  /** Returns the object with its defaults; a null where the schema allows none is dropped, or replaced by the default. Defaults are frozen. */
  fillDefaults(object: JsonObject, options?: DefaultOptions): JsonObject
  /**
   * Returns what is wrong with the object: with its values, then with embedded resources, then with lists of type set and map. Of an update, what was wrong
   * before and is unchanged is left out.
   */
  validate(object: JsonObject, old?: JsonObject): readonly FieldError[]
  /** The same for an update of the status alone, which is all that is looked at but for the types of lists. */
  validateStatus(object: JsonObject, old: JsonObject): readonly FieldError[]
  /** Reports whether every value is as the schema has it, also what was wrong before: an update can keep values of other types. */
  hasValidValues(object: JsonObject): boolean
}

/** Returns the behaviour of a structural schema. Each part is compiled when it is first used. */
export function customResourceSchema(schema: JSONSchemaProps): CustomResourceSchema {
  return new CompiledSchema(schema)
}

class CompiledSchema implements CustomResourceSchema {
  readonly #root: SchemaNode
  readonly #hasPatterns = lazy(() => someSchema(this.#root.schema, ({ pattern = "" }) => pattern !== ""))
  /** With what the schema says of apiVersion, kind and metadata: those are validated too. */
  #rules: ValueRules | undefined
  #statusRules: ValueRules | undefined
  #correlation: SchemaNode | undefined

  constructor(schema: JSONSchemaProps) {
    this.#root = new SchemaNode(schema, { isRoot: true })
  }

  prepare(clock: Clock): Promise<void> | undefined {
    return this.#hasPatterns() ? loadPatterns(clock) : undefined
  }

  prune(object: JsonObject, unknown?: string[]): JsonObject {
    return prune(object, this.#root, unknown)
  }

  coerceEmbedded(object: JsonObject, options?: CoerceOptions): JsonObject {
    return coerceEmbedded(object, this.#root, options)
  }

  fillDefaults(object: JsonObject, options?: DefaultOptions): JsonObject {
    return fillDefaults(object, this.#root, options)
  }

  validate(object: JsonObject, old?: JsonObject): readonly FieldError[] {
    this.#rules ??= new ValueRules(this.#root.schema)
    const values = validationErrors(this.#rules, object, "", old && (() => this.#correlated(object, old)))
    const [embedded, lists] = [embeddedErrors(object, this.#root), this.#newListErrors(object, old)]
    return embedded.length + lists.length === 0 ? values : [...values, ...embedded, ...lists]
  }

  validateStatus(object: JsonObject, old: JsonObject): readonly FieldError[] {
    const schema = this.#root.schema.properties?.status ?? {}
    this.#statusRules ??= new ValueRules(schema)
    const values = Object.hasOwn(object, "status")
      ? validationErrors(this.#statusRules, object.status, "status", () => this.#correlatedStatus(object, old))
      : noErrors
    const lists = this.#newListErrors(object, old)
    return lists.length === 0 ? values : [...values, ...lists]
  }

  hasValidValues(object: JsonObject): boolean {
    const rules = (this.#rules ??= new ValueRules(this.#root.schema))
    const run = new Validation()
    return run.apart(() => rules.validate(object, run), true).isValid
  }

  /** An object whose lists had items twice before may have them still. */
  #newListErrors(object: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
    const errors = listTypeErrors(object, this.#root)
    return errors.length > 0 && old !== undefined && listTypeErrors(old, this.#root).length > 0 ? noErrors : errors
  }

  /** No status is the same as null. */
  #correlatedStatus(object: JsonObject, old: JsonObject): Correlated {
    return this.#correlated(object, old).key("status") ?? new Correlated(this.#root, null, object.status)
  }

  #correlated(object: JsonObject, old: JsonObject): Correlated {
    this.#correlation ??= new SchemaNode(this.#root.schema)
    return new Correlated(this.#correlation, old, object)
  }
}

const noErrors: readonly FieldError[] = []

/** What was there before is looked at only where something is wrong. */
function validationErrors(
  rules: ValueRules,
  value: unknown,
  prefix: string,
  correlate: (() => Correlated | undefined) | undefined,
): readonly FieldError[] {
  const run = new Validation(prefix)
  rules.validate(value, run)
  if (run.result.isValid) return noErrors
  const correlated = correlate?.()
  if (correlated === undefined) return run.result.errors
  const ratcheted = new Validation(prefix)
  validateChild(rules, value, ratcheted, correlated)
  return ratcheted.result.errors
}
