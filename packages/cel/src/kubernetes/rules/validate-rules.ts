import { type FieldError, fieldError, formatFieldError } from "@pilothouse/api"
import type { Activation, Program } from "../../program.ts"
import { Optional, type Value } from "../../values/value.ts"
import { callCostLimit, objectCostLimit } from "../environment/kubernetes-environment.ts"
import { escapeProperty } from "../schema/escaping.ts"
import type { ValidationRule } from "../schema/json-schema.ts"
import { type CompiledRule, type CompiledRules, noType, type RuleNode } from "./compile-rules.ts"
import { Correlation, isMap, itemFinder } from "./correlation.ts"
import { fieldPath } from "./field-path.ts"

/** What rules found in an object. */
export interface RuleValidation {
  readonly errors: readonly FieldError[]
  /** Failures of values that an update did not change: they warn instead of refusing it. */
  readonly warnings: readonly string[]
  /** What the rules and their messages cost. */
  readonly cost: number
  /** Whether a limit of costs ended it: rules were left out. */
  readonly stopped: boolean
}

/** How an object is validated. */
export interface ValidateRulesOptions {
  /** What all rules together may cost. */
  readonly costBudget?: number
  /** Whether what fails as it did before only warns; true by default. */
  readonly ratchets?: boolean
}

/**
 * Evaluates the rules of an object: those of a place, then those of its allOf, then those below it.
 * `oldValue` is the stored object of an update and undefined on create; it is what `oldSelf` reads, and what failures are held against.
 */
export function validateRules(
  { root }: Pick<CompiledRules, "root">,
  path: string,
  value: unknown,
  oldValue?: unknown,
  { costBudget = objectCostLimit, ratchets = true }: ValidateRulesOptions = {},
): RuleValidation {
  const validation = new Validation(costBudget)
  const correlates = ratchets && oldValue !== undefined && oldValue !== null
  const current = correlates && root ? new Correlation(root.schema, value, oldValue) : undefined
  if (root) validation.validate(root, { path, value, oldValue, current, parent: undefined, isTyped: root.hasKnownType })
  const { errors, warnings, cost, stopped } = validation
  return { errors, warnings, cost, stopped }
}

/** A place of the object: its value, the older one, and how both correlate. */
interface Place {
  readonly path: string
  readonly value: unknown
  readonly oldValue: unknown
  readonly current: Correlation | undefined
  readonly parent: Correlation | undefined
  /** Whether rules know the type of the value: that of its schema, and of each schema around it. */
  readonly isTyped: boolean
}

/** One walk over an object. Invariant: once the budget is spent, no further rule is evaluated. */
class Validation {
  readonly errors: FieldError[] = []
  readonly warnings: string[] = []
  private readonly costBudget: number
  private budget: number
  stopped = false

  constructor(costBudget: number) {
    this.costBudget = costBudget
    this.budget = costBudget
  }

  get cost(): number {
    return this.costBudget - this.budget
  }

  validate(node: RuleNode, place: Place): void {
    if (this.stopped || place.value === null || place.value === undefined) return
    this.evaluateRules(node, place)
    for (const nested of node.allOf) this.validate(nested, { ...place, current: undefined })
    if (Array.isArray(place.value)) this.validateItems(node, place, place.value)
    else if (isMap(place.value)) this.validateProperties(node, place, place.value)
  }

  private validateItems({ items, schema }: RuleNode, place: Place, values: readonly unknown[]): void {
    if (!items) return
    const findOld = itemFinder(schema, place.oldValue)
    const isTyped = place.isTyped && items.hasKnownType
    values.forEach((value, index) => {
      const below = correlationBelow(place, (current) => current.index(index))
      this.validate(items, { path: fieldPath.index(place.path, index), value, oldValue: findOld(value), isTyped, ...below })
    })
  }

  private validateProperties({ values, properties }: RuleNode, place: Place, object: Readonly<Record<string, unknown>>): void {
    if (!values && properties.size === 0) return
    const old = isMap(place.oldValue) ? place.oldValue : {}
    for (const [name, value] of Object.entries(object)) {
      const node = values ?? properties.get(name)
      const isTyped = node?.hasKnownType === true && (place.isTyped || (!values && escapeProperty(name) === undefined))
      // A field whose type is not known does not exist for rules.
      if (!node || !(isTyped || values)) continue
      const path = values ? fieldPath.key(place.path, name) : fieldPath.child(place.path, name)
      const oldValue = Object.hasOwn(old, name) ? old[name] : undefined
      this.validate(node, { path, value, oldValue, isTyped, ...correlationOfProperty(place, name) })
    }
  }

  private evaluateRules(node: RuleNode, place: Place): void {
    if (node.rules.length === 0) return
    if (!place.isTyped) return void this.errors.push(this.invalid(node, place, `rule compiler initialization error: ${noType}`))
    if (this.budget <= 0) return this.stop(this.invalid(node, place, outOfBudget))
    const activations = activationsOf(node, place)
    for (const rule of node.rules) {
      if (this.stopped) return
      this.evaluateRule(rule, node, place, activations)
    }
  }

  private evaluateRule(compiled: CompiledRule, node: RuleNode, place: Place, activations: Activations): void {
    const { rule, program, usesOldSelf } = compiled
    if (compiled.error !== undefined) return void this.errors.push(this.invalid(node, place, `rule compile error: ${compiled.error}`))
    const hasOld = place.oldValue !== undefined && place.oldValue !== null
    if (!program || (usesOldSelf && !hasOld && rule.optionalOldSelf !== true)) return
    const evaluation = program.evaluate(rule.optionalOldSelf ? activations.optional : activations.plain, { costLimit: callCostLimit })
    if (evaluation.cost > this.budget) return this.stop(this.invalid(node, place, outOfBudget))
    this.budget -= evaluation.cost
    if (evaluation.kind === "value") {
      if (evaluation.value !== true) this.report(compiled, node, place, activations)
      return
    }
    const error = this.invalid(node, place, evaluationMessage(evaluation.message, evaluation.costLimitExceeded, rule))
    if (evaluation.costLimitExceeded) return this.stop(error)
    this.errors.push(error)
  }

  /** Adds the error of a rule that is false; it only warns where the value is what it was. */
  private report(compiled: CompiledRule, node: RuleNode, place: Place, { plain }: Activations): void {
    const path = compiled.fieldPath === "" ? place.path : fieldPath.child(place.path, compiled.fieldPath)
    const add = (error: FieldError): void => {
      const unchanged = !compiled.usesOldSelf && (place.current ?? place.parent)?.isUnchanged() === true
      if (unchanged) this.warnings.push(formatFieldError(error))
      else this.errors.push(error)
    }
    const message = compiled.message && evaluateMessage(compiled.message, compiled.rule.messageExpression ?? "", plain, this.budget)
    if (message?.kind === "stop") {
      add(fieldError.invalid(shownPath(path), node.schema.type ?? "", message.detail))
      this.stopped = true
      return
    }
    this.budget -= message?.cost ?? 0
    add(failure(compiled.rule, path, node, place, message?.kind === "message" ? message.text : defaultMessage(compiled.rule)))
  }

  private invalid(node: RuleNode, { path }: Place, detail: string): FieldError {
    return fieldError.invalid(shownPath(path), node.schema.type ?? "", detail)
  }

  private stop(error: FieldError): void {
    this.errors.push(error)
    this.stopped = true
  }
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

/** The value of the whole object has no path. */
function shownPath(path: string): string {
  return path === "" ? "<nil>" : path
}

/** What rules read: with `oldSelf` as it is, and as an optional. */
interface Activations {
  readonly plain: Activation
  readonly optional: Activation
}

/** A message reads `oldSelf` only where a rule of the same place does. */
function activationsOf({ rules }: RuleNode, { value, oldValue }: Place): Activations {
  const self = value as Value
  if (!rules.some(({ usesOldSelf }) => usesOldSelf)) return { plain: { self }, optional: { self } }
  if (oldValue === undefined || oldValue === null) return { plain: { self }, optional: { self, oldSelf: Optional.none } }
  const old = oldValue as Value
  return { plain: { self, oldSelf: old }, optional: { self, oldSelf: new Optional(old) } }
}

/** What the apiVersion and kind of an object were is not seen: both are those of the request. */
function correlationOfProperty(place: Place, name: string): Pick<Place, "current" | "parent"> {
  const isType = place.parent === undefined && (name === "apiVersion" || name === "kind")
  return isType ? { current: undefined, parent: undefined } : correlationBelow(place, (current) => current.key(name))
}

/** Below a place without a correlation, the nearest one above still counts. */
function correlationBelow(
  { current, parent }: Place,
  below: (current: Correlation) => Correlation | undefined,
): Pick<Place, "current" | "parent"> {
  return current ? { current: below(current), parent: current } : { current, parent }
}

function evaluationMessage(message: string, costLimitExceeded: boolean, rule: ValidationRule): string {
  const shown = ruleText(rule)
  // prose: these are cel-go's words, and its errors have no code
  if (message.startsWith("no such overload")) {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`
  }
  if (costLimitExceeded) return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`
  return `${message} evaluating rule: ${shown}`
}

function failure({ reason }: ValidationRule, path: string, { schema }: RuleNode, { value }: Place, detail: string): FieldError {
  const at = shownPath(path)
  if (reason === "FieldValueForbidden") return fieldError.forbidden(at, detail)
  if (reason === "FieldValueRequired") return fieldError.required(at, detail)
  const omitted = schema.type === "object" || schema.type === "array"
  if (reason === "FieldValueDuplicate") return omitted ? duplicateWithoutValue(at) : fieldError.duplicate(at, value)
  return omitted ? fieldError.invalidWithoutValue(at, detail) : fieldError.invalid(at, value, detail)
}

function duplicateWithoutValue(field: string): FieldError {
  return { reason: "FieldValueDuplicate", message: "Duplicate value", field }
}

function defaultMessage(rule: ValidationRule): string {
  return rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`
}

function ruleText({ rule, message }: ValidationRule): string {
  return (message || rule).trim()
}

/** What a messageExpression came to: a text, nothing (the rule's own message serves), or the end of validation. */
type MessageOutcome =
  | { readonly kind: "message"; readonly text: string; readonly cost: number }
  | { readonly kind: "none"; readonly cost: number }
  | { readonly kind: "stop"; readonly detail: string; readonly cost: number }

const maxMessageBytes = 5 * 1024

/** Evaluates a messageExpression. Texts that are empty, too long or of several lines do not count. */
function evaluateMessage(program: Program, expression: string, activation: Activation, budget: number): MessageOutcome {
  const evaluation = program.evaluate(activation, { costLimit: callCostLimit })
  const { cost } = evaluation
  if (cost > budget) {
    return {
      kind: "stop",
      detail: "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
      cost,
    }
  }
  if (evaluation.kind === "error") {
    if (!evaluation.costLimitExceeded) return { kind: "none", cost }
    const detail = `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(expression)}`
    return { kind: "stop", detail, cost }
  }
  const text = typeof evaluation.value === "string" ? evaluation.value.trim() : ""
  const usable = text !== "" && !text.includes("\n") && new TextEncoder().encode(text).length <= maxMessageBytes
  return usable ? { kind: "message", text, cost } : { kind: "none", cost }
}
