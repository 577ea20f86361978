import { PilothouseError } from "@pilothouse/seams"
import { type FieldError, fieldError, formatFieldErrors } from "../errors/field-error.ts"
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, Pod, PreferredSchedulingTerm } from "../generated/core/v1.types.ts"
import { type LabelOperator, type LabelRequirement, labelRequirementErrors, matchesRequirement } from "../labels/label-requirement.ts"
import type { ObjectMeta } from "../meta/meta.ts"

/** What a node is matched by. */
export interface LabelledNode {
  readonly metadata: Pick<ObjectMeta, "name" | "labels">
}

/** A term that is read once and matched against many nodes. */
export interface NodeTerm {
  readonly labels: readonly LabelRequirement[]
  readonly fields: readonly FieldCheck[]
  /** A term with errors matches no node. */
  readonly errors: readonly FieldError[]
}

interface FieldCheck {
  readonly field: string
  readonly value: string
  readonly equal: boolean
}

/** Reads the terms of a node selector; empty ones, which match nothing, are left out. */
export function nodeTermsOf(selector: NodeSelector, path = "nodeSelectorTerms"): readonly NodeTerm[] {
  return selector.nodeSelectorTerms.flatMap((term, i) => (isEmpty(term) ? [] : [nodeTermOf(term, `${path}[${i}]`)]))
}

function isEmpty(term: NodeSelectorTerm): boolean {
  return (term.matchExpressions ?? []).length === 0 && (term.matchFields ?? []).length === 0
}

/** Returns a term of node affinity in the form that is matched. */
export function nodeTermOf(term: NodeSelectorTerm, path: string): NodeTerm {
  const labels = (term.matchExpressions ?? []).map((expression, i) => labelCheck(expression, `${path}.matchExpressions[${i}]`))
  const fields = (term.matchFields ?? []).map((expression, i) => fieldCheck(expression, `${path}.matchFields[${i}]`))
  return {
    labels: labels.flatMap(({ check }) => (check === undefined ? [] : [check])),
    fields: fields.flatMap(({ check }) => (check === undefined ? [] : [check])),
    errors: [...labels, ...fields].flatMap(({ errors }) => errors),
  }
}

interface Checked<T> {
  readonly check?: T
  readonly errors: readonly FieldError[]
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
}

function labelCheck({ key, operator: name, values }: NodeSelectorRequirement, path: string): Checked<LabelRequirement> {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined
  if (operator === undefined) return { errors: [fieldError.notSupported(`${path}.operator`, name, Object.keys(operators))] }
  const errors = labelRequirementErrors(key, operator, values, path)
  return errors.length > 0 ? { errors } : { check: { key, operator, values: values ?? [] }, errors }
}

/** Fields are only compared, and with one value. */
function fieldCheck({ key, operator, values }: NodeSelectorRequirement, path: string): Checked<FieldCheck> {
  if (operator !== "In" && operator !== "NotIn") return { errors: [fieldError.notSupported(`${path}.operator`, operator, ["In", "NotIn"])] }
  if (values?.length !== 1) return { errors: [fieldError.invalid(`${path}.values`, values ?? null, "must have one element")] }
  return { check: { field: key, value: values[0]!, equal: operator === "In" }, errors: [] }
}

/** Reports whether all expressions and all fields of the term match. */
export function matchesNodeTerm(term: NodeTerm, { metadata }: LabelledNode): boolean {
  if (term.errors.length > 0) return false
  if (!term.labels.every((requirement) => matchesRequirement(requirement, metadata.labels))) return false
  // What is not a node yet but a template of one has no name, and no field to hold against it.
  if (!metadata.name) return true
  return term.fields.every(({ field, value, equal }) => ((field === "metadata.name" ? metadata.name : "") === value) === equal)
}

/** Any term matches. When none does and some could not be read, the error says why: the selector is wrong, not the node. */
export function matchesNodeTerms(terms: readonly NodeTerm[], node: LabelledNode): boolean {
  if (terms.some((term) => matchesNodeTerm(term, node))) return true
  const errors = terms.flatMap((term) => term.errors)
  if (errors.length > 0) throw new PilothouseError("INVALID", formatFieldErrors(errors))
  return false
}

/** The selector of a PersistentVolume, of a StorageClass's topology or of required node affinity. */
export function matchesNodeSelector(selector: NodeSelector, node: LabelledNode): boolean {
  return matchesNodeTerms(nodeTermsOf(selector), node)
}

/** The sum of the weights of the preferences that the node meets. An empty preference is met by no node. */
export function preferredNodeScore(preferences: readonly PreferredSchedulingTerm[], node: LabelledNode): number {
  let score = 0
  for (const { weight, preference } of preferences) {
    if (!isEmpty(preference) && matchesNodeTerm(nodeTermOf(preference, "preference"), node)) score += weight
  }
  return score
}

/** Reports whether the pod's nodeSelector and its required node affinity allow the node. For many nodes ask once for the check and use it on each. */
export function requiredNodeAffinity(pod: Pick<Pod, "spec">): (node: LabelledNode) => boolean {
  const required = Object.entries(pod.spec?.nodeSelector ?? {})
  const selector = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const terms = selector === undefined ? undefined : nodeTermsOf(selector)
  return (node) => {
    if (!required.every(([key, value]) => node.metadata.labels?.[key] === value)) return false
    return terms === undefined || matchesNodeTerms(terms, node)
  }
}
