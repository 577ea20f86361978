import { type FieldError, fieldError } from "../errors/field-error.ts"
import { checkLabelKey, checkLabelValue } from "../meta/label-names.ts"
import type { LabelSelector, LabelSelectorRequirement } from "../meta/meta.ts"

/** Validates labels at the path. Upstream names the map, not the key. */
export function labelErrors(labels: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  return Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...checkLabelKey(key).map((message) => fieldError.invalid(path, key, message)),
    ...checkLabelValue(value).map((message) => fieldError.invalid(path, value, message)),
  ])
}

/** Validates a label selector in an object's spec: the words of validation differ from those of parsing. */
export function labelSelectorErrors(selector: LabelSelector | undefined, path: string): readonly FieldError[] {
  const expressions = selector?.matchExpressions ?? []
  return [
    ...labelErrors(selector?.matchLabels, `${path}.matchLabels`),
    ...expressions.flatMap((expression, i) => expressionErrors(expression, `${path}.matchExpressions[${i}]`)),
  ]
}

function expressionErrors(expression: LabelSelectorRequirement, path: string): readonly FieldError[] {
  const { key, values = [] } = expression
  return [
    ...operatorErrors(expression, path),
    ...checkLabelKey(key).map((message) => fieldError.invalid(`${path}.key`, key, message)),
    ...values.flatMap((value, i) => checkLabelValue(value).map((message) => fieldError.invalid(`${path}.values[${i}]`, value, message))),
  ]
}

function operatorErrors({ operator, values = [] }: LabelSelectorRequirement, path: string): readonly FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? [] : [fieldError.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")]
    case "Exists":
    case "DoesNotExist":
      if (values.length === 0) return []
      return [fieldError.forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    default:
      return [fieldError.invalid(`${path}.operator`, operator, "not a valid selector operator")]
  }
}
