import { type FieldError, fieldError, type KubeObject } from "@pilothouse/api"
import type { JSONSchemaProps } from "@pilothouse/api/apiextensions/v1"
import type { CompiledRules, JsonSchema, RuleNode, RuleValidation } from "@pilothouse/cel/kubernetes"
import { type Clock, lazy } from "@pilothouse/seams"
import { someSchema } from "./structural/schema-walk.ts"

type Cel = typeof import("@pilothouse/cel/kubernetes")

/** The Common Expression Language, which is loaded for the first schema that has rules. */
const library: { cel?: Cel } = {}

/** Loads what rules need; undefined where it is there already. */
export function loadRules(clock: Clock): Promise<void> | undefined {
  return library.cel === undefined ? load(clock) : undefined
}

async function load(clock: Clock): Promise<void> {
  library.cel = await clock.external(import("@pilothouse/cel/kubernetes"), "loading the Common Expression Language")
}

/** Returns what ends when both have; undefined where nothing is to be awaited. */
export function bothLoaded(one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Promise.all([one, other]).then(() => {})
}

function loaded(): Cel {
  if (library.cel === undefined)
    throw new Error("expected the Common Expression Language to be loaded, found it is not; await loadRules first")
  return library.cel
}

/** Reports whether a schema has x-kubernetes-validations anywhere. */
export function hasRules(schema: JSONSchemaProps): boolean {
  return someSchema(schema, (below) => below["x-kubernetes-validations"] !== undefined)
}

/** Compiles the x-kubernetes-validations of a structural schema at a path of its definition; undefined if it has none. */
export function compiledRules(schema: JSONSchemaProps, path: string): CompiledRules | undefined {
  return hasRules(schema) ? loaded().compileRules(structural(schema), { path }) : undefined
}

/** What the defaults of all schemas of one definition have cost: nothing else is served meanwhile, and a definition may have very many versions. */
export class DefaultsCost {
  spent = 0
}

/** In objects of the greatest cost. One takes about a tenth of a second; defaults of real definitions cost a ten-thousandth of it. */
const maxDefaultsCost = 10

/**
 * The rules of one schema for the defaults in it. Invariant: all of its defaults together cost at most what one object may; once that is spent,
 * `isSpent` is true and no further default is validated.
 */
export class DefaultsRules {
  readonly #whole: DefaultsCost
  #budget: number | undefined
  #isSpent = false

  constructor(whole: DefaultsCost) {
    this.#whole = whole
  }

  get isSpent(): boolean {
    return this.#isSpent
  }

  /**
   * Returns the errors of a default. It is validated as an update that changes nothing and, once that is valid, as a create: rules that read
   * oldSelf as an optional must hold for both.
   */
  errors(root: RuleNode | undefined, value: unknown, path: string): readonly FieldError[] {
    if (root === undefined) return []
    const { objectCostLimit, validateRules } = loaded()
    const costBudget = (this.#budget ??= Math.min(objectCostLimit, maxDefaultsCost * objectCostLimit - this.#whole.spent))
    const runs = [validateRules({ root }, path, value, value, { costBudget, ratchets: false })]
    if (runs[0]!.errors.length === 0) runs.push(validateRules({ root }, path, value, undefined, { costBudget }))
    this.#budget -= Math.max(...runs.map(({ cost }) => cost))
    this.#whole.spent += runs.reduce((sum, { cost }) => sum + cost, 0)
    this.#isSpent = runs.some(({ stopped }) => stopped)
    return runs.flatMap(({ errors }) => errors)
  }
}

/** Returns what is wrong with the x-kubernetes-validations of one schema, which need not be structural, apart from their expressions. */
export function ruleFormatErrors(
  schema: JSONSchemaProps,
  path: string,
  options: { readonly followsPaths: boolean },
): readonly FieldError[] {
  const { "x-kubernetes-validations": rules = [] } = schema
  const followed = options.followsPaths ? structural(schema) : undefined
  return rules.flatMap((rule, index) => loaded().ruleFormatErrors(rule, followed, `${path}.x-kubernetes-validations[${index}]`))
}

/** Items of a structural schema have one schema: a list of schemas, which the type allows, was refused before. */
function structural(schema: JSONSchemaProps): JsonSchema {
  return schema as JsonSchema
}

/** After one of these a rule could meet a value that its type does not allow. */
const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
])

const unchecked =
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

/** An object that rules are evaluated for. */
interface RuledObject {
  readonly object: KubeObject
  /** What it was before an update. */
  readonly old: KubeObject | undefined
  /** Reports whether every value is as the schema has it, also what was wrong before. */
  readonly hasValidValues: () => boolean
}

/** The rules of one version of a custom resource. */
export class CustomResourceRules {
  readonly #hasRules: () => boolean
  readonly #compiled: () => CompiledRules
  /** For objects that keep values which the schema does not allow any more. */
  readonly #checking: () => CompiledRules
  /** Of objects that are being written: warnings are read after the errors, of the same object. */
  readonly #warnings = new WeakMap<KubeObject, RuleValidation["warnings"]>()

  constructor(schema: JSONSchemaProps) {
    this.#hasRules = lazy(() => hasRules(schema))
    this.#compiled = lazy(() => loaded().compileRules(structural(schema)))
    this.#checking = lazy(() => loaded().compileRules(structural(schema), { checksValues: true }))
  }

  load(clock: Clock): Promise<void> | undefined {
    return this.#hasRules() ? loadRules(clock) : undefined
  }

  /** Returns the errors of an object together with those of its rules, which are evaluated unless an error makes that impossible. */
  validate(errors: readonly FieldError[], { object, old, hasValidValues }: RuledObject): readonly FieldError[] {
    if (!this.#hasRules()) return errors
    if (errors.some(({ reason }) => blocking.has(reason))) return [...errors, fieldError.invalid("<nil>", null, unchecked)]
    const rules = old === undefined || hasValidValues() ? this.#compiled() : this.#checking()
    const found = loaded().validateRules(rules, "", object, old)
    if (found.warnings.length > 0) this.#warnings.set(object, found.warnings)
    return [...errors, ...found.errors]
  }

  /** Returns what rules say of values that were invalid before, and that the write leaves as they are. */
  warnings(object: KubeObject): readonly string[] {
    return this.#warnings.get(object) ?? []
  }
}
