import { PilothouseError } from "@pilothouse/seams"
import type { LabelSelector, LabelSelectorRequirement } from "../meta/meta.ts"
import { quoted } from "../text/quoted.ts"
import { type LabelOperator, type LabelRequirement, labelRequirement, matchesRequirement, sortedByKey } from "./label-requirement.ts"
import { parseRequirements } from "./label-selector-parse.ts"

/**
 * A label selector ready to match: all requirements hold. No requirements match everything; `nothing` matches nothing.
 * What an absent selector means is up to the field it stands in, so no function here guesses: an absent LabelSelector object selects nothing
 * (a PodDisruptionBudget without selector), an empty one everything (a NetworkPolicy's `podSelector: {}`), and
 * an empty text (`kubectl get pods -l ''`) everything.
 */
export interface Selector {
  readonly requirements: readonly LabelRequirement[]
  readonly nothing: boolean
}

type Labels = Readonly<Record<string, string>>

/** The selector that matches every set of labels: apimachinery's labels.Everything. */
export const everything: Selector = Object.freeze({ requirements: Object.freeze([]), nothing: false })
/** The selector that matches no set of labels: apimachinery's labels.Nothing. */
export const nothing: Selector = Object.freeze({ requirements: Object.freeze([]), nothing: true })

/** Reads "a=b,c!=d,e in (x,y),f notin (z),g,!h,i>3". Requirements stand in the order of their keys afterwards. */
export function parseLabelSelector(text: string): Selector {
  const requirements = parseRequirements(text)
  return requirements.length === 0 ? everything : { requirements: sortedByKey(requirements), nothing: false }
}

/** From the object form that stands in workloads, policies and budgets; a bad one is refused. */
export function selectorOf(selector: LabelSelector | undefined): Selector {
  if (selector === undefined) return nothing
  const known = selectors.get(selector)
  if (known !== undefined) return known
  const made = newSelector(selector)
  // What is frozen was accepted by a server or a cache, all the way down.
  if (Object.isFrozen(selector)) selectors.set(selector, made)
  return made
}

/** A controller asks for the selector of an object each time that it reconciles it. */
const selectors = new WeakMap<LabelSelector, Selector>()

function newSelector(selector: LabelSelector): Selector {
  const equal = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => labelRequirement(key, "=", [value]))
  const expressions = (selector.matchExpressions ?? []).map(requirementOf)
  return fromRequirements([...equal, ...expressions])
}

/** From the plain map of a Service or ReplicationController; nothing is checked. An empty map matches everything. */
export function selectorFromLabels(labels: Labels | undefined): Selector {
  return fromRequirements(Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: "=", values: [value] })))
}

/** Returns a selector that matches where all of these requirements do. */
export function fromRequirements(requirements: readonly LabelRequirement[]): Selector {
  return requirements.length === 0 ? everything : { requirements: sortedByKey(requirements), nothing: false }
}

const operators: Readonly<Record<string, LabelOperator>> = { In: "in", NotIn: "notin", Exists: "exists", DoesNotExist: "!" }

function requirementOf(expression: LabelSelectorRequirement): LabelRequirement {
  const operator = Object.hasOwn(operators, expression.operator) ? operators[expression.operator] : undefined
  if (operator === undefined) throw refuse(`${quoted(expression.operator)} is not a valid label selector operator`)
  const { key, values } = expression
  return labelRequirement(key, operator, values?.length === 0 ? undefined : values)
}

/** Reports whether the labels satisfy every requirement of the selector. */
export function matchesLabels(selector: Selector, labels: Labels | undefined): boolean {
  if (selector.nothing) return false
  if (selector.requirements.length > manyRequirements) return matchesMany(selector.requirements, labels)
  for (const requirement of selector.requirements) if (!matchesRequirement(requirement, labels)) return false
  return true
}

/** From here on requirements are looked up by the labels that are there: a client may send ten thousand, and there may be as many objects. */
const manyRequirements = 16

interface RequirementIndex {
  readonly byKey: ReadonlyMap<string, readonly LabelRequirement[]>
  /** How many keys have a requirement that only a label can meet. */
  readonly needed: number
}

const indexes = new WeakMap<readonly LabelRequirement[], RequirementIndex>()

function matchesMany(requirements: readonly LabelRequirement[], labels: Labels = {}): boolean {
  const { byKey, needed } = indexOf(requirements)
  let met = 0
  for (const key of Object.keys(labels)) {
    const own = byKey.get(key)
    if (own === undefined) continue
    for (const requirement of own) if (!matchesRequirement(requirement, labels)) return false
    if (own.some(needsLabel)) met++
  }
  return met === needed
}

function indexOf(requirements: readonly LabelRequirement[]): RequirementIndex {
  const known = indexes.get(requirements)
  if (known !== undefined) return known
  const byKey = Map.groupBy(requirements, ({ key }) => key)
  const index = { byKey, needed: [...byKey.values()].filter((own) => own.some(needsLabel)).length }
  indexes.set(requirements, index)
  return index
}

function needsLabel({ operator }: LabelRequirement): boolean {
  return operator !== "!" && operator !== "!=" && operator !== "notin"
}

/** True for a selector that restricts nothing. */
export function isEverything(selector: Selector): boolean {
  return !selector.nothing && selector.requirements.length === 0
}

/** The text that `parseLabelSelector` reads back: "a=b,c in (x,y),!d". */
export function formatLabelSelector(selector: Selector): string {
  return selector.requirements.map(formatRequirement).join(",")
}

const signs: Readonly<Record<LabelOperator, string>> = {
  "=": "=",
  "==": "==",
  "!=": "!=",
  in: " in ",
  notin: " notin ",
  exists: "",
  "!": "",
  gt: ">",
  lt: "<",
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  if (operator === "!") return `!${key}`
  const list = [...values].sort().join(",")
  return `${key}${signs[operator]}${operator === "in" || operator === "notin" ? `(${list})` : list}`
}

/** The object form. Comparisons with > and < cannot be written in it. */
export function labelSelectorOf(selector: Selector): LabelSelector | undefined {
  if (selector.nothing) return undefined
  const equal = selector.requirements.filter(isEqual)
  const others = selector.requirements.filter((requirement) => !isEqual(requirement))
  return {
    ...(equal.length === 0 ? {} : { matchLabels: Object.fromEntries(equal.map(({ key, values }) => [key, values[0]!])) }),
    ...(others.length === 0 ? {} : { matchExpressions: others.map(expressionOf) }),
  }
}

function isEqual({ operator }: LabelRequirement): boolean {
  return operator === "=" || operator === "=="
}

const objectOperators: Readonly<Partial<Record<LabelOperator, string>>> = {
  in: "In",
  notin: "NotIn",
  "!=": "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
}

function expressionOf({ key, operator, values }: LabelRequirement): LabelSelectorRequirement {
  const name = objectOperators[operator]
  if (name === undefined) throw refuse(`${quoted(operator)} isn't supported in label selectors`)
  return values.length === 0 ? { key, operator: name } : { key, operator: name, values: [...values].sort() }
}

/**
 * For an index over a label: the values one of which an object must have to match, or undefined when the selector does not say.
 * `a in (x,y)` asks an index of `a` twice; what it answers must still be matched against the whole selector.
 */
export function equalityRequirement(selector: Selector, key: string): readonly string[] | undefined {
  return selector.requirements.find((requirement) => requirement.key === key && (isEqual(requirement) || requirement.operator === "in"))
    ?.values
}

function refuse(why: string): PilothouseError {
  return new PilothouseError("INVALID", why)
}
