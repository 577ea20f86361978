import { checkLabelKey, type FieldError, fieldError, type LabelSelector, matchesLabels, selectorOf } from "@pilothouse/api"
import { validateLabels } from "./object-meta.ts"

const operators = ["In", "NotIn", "Exists", "DoesNotExist"]

export function validateLabelSelector(selector: LabelSelector, field: string): readonly FieldError[] {
  const expressions = selector.matchExpressions ?? []
  return [
    ...validateLabels(selector.matchLabels, `${field}.matchLabels`),
    ...expressions.flatMap((expression, index) => requirementErrors(expression, `${field}.matchExpressions[${index}]`)),
  ]
}

type Requirement = NonNullable<LabelSelector["matchExpressions"]>[number]

/** A body may leave out what its type demands. */
function requirementErrors({ key = "", operator = "", values = [] }: Partial<Requirement>, field: string): readonly FieldError[] {
  const keyErrors = checkLabelKey(key).map((text) => fieldError.invalid(`${field}.key`, key, text))
  const takesValues = operator === "In" || operator === "NotIn"
  if (!operators.includes(operator))
    return [fieldError.invalid(`${field}.operator`, operator, "not a valid selector operator"), ...keyErrors]
  if (takesValues && values.length === 0) {
    return [fieldError.required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"), ...keyErrors]
  }
  if (!takesValues && values.length > 0) {
    return [fieldError.forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"), ...keyErrors]
  }
  return keyErrors
}

/** Validates the selector of a workload: it is required, is not empty, and matches the labels of the template. */
export function validateWorkloadSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>> | undefined,
  kind: string,
): readonly FieldError[] {
  const field = "spec.selector"
  // Of all workloads a DaemonSet alone gets no error for a missing selector, as upstream.
  if (selector === undefined) return [...(kind === "daemonset" ? [] : [fieldError.required(field)]), ...mismatch(labels)]
  const errors = [...validateLabelSelector(selector, field)]
  if (errors.length > 0) errors.push(fieldError.invalid(field, selector, "invalid label selector"))
  const size = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length
  if (size === 0) errors.push(fieldError.invalid(field, selector, `empty selector is invalid for ${kind}`))
  if (errors.length === 0 && !matchesLabels(selectorOf(selector), labels)) errors.push(...mismatch(labels))
  return errors
}

function mismatch(labels: Readonly<Record<string, string>> | undefined): readonly FieldError[] {
  return [fieldError.invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")]
}
