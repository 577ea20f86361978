import { checkLabelKey, type FieldError, fieldError, utf8Length } from "@pilothouse/api"
import { repeats } from "./field-rules.ts"

/** A condition as the kinds of today have it. */
interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly observedGeneration?: number | bigint
}

const statuses = ["False", "True", "Unknown"]
const reasonForm = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
const reason = new RegExp(`^${reasonForm}$`)
const reasonRule =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"
const reasonExamples = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"].map((one) => `'${one}', `).join(" or ")
const longestReason = 1024
const longestMessage = 32 * 1024

/** Validates the conditions of a status: each type once, each with a time and a reason. */
export function conditionErrors(conditions: readonly Condition[], field: string): readonly FieldError[] {
  const again = repeats(conditions.map(({ type }) => type))
  return conditions.flatMap((condition, index) => [
    ...(again[index] ? [fieldError.duplicate(`${field}[${index}].type`, condition.type)] : []),
    ...oneConditionErrors(condition, `${field}[${index}]`),
  ])
}

function oneConditionErrors(condition: Condition, field: string): readonly FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, message = "" } = condition
  return [
    ...checkLabelKey(type).map((text) => fieldError.invalid(`${field}.type`, type, text)),
    ...(statuses.includes(status) ? [] : [fieldError.notSupported(`${field}.status`, status, statuses)]),
    ...(observedGeneration >= 0
      ? []
      : [fieldError.invalid(`${field}.observedGeneration`, observedGeneration, "must be greater than or equal to zero")]),
    ...(lastTransitionTime ? [] : [fieldError.required(`${field}.lastTransitionTime`)]),
    ...reasonErrors(condition.reason ?? "", `${field}.reason`),
    ...(utf8Length(message) > longestMessage ? [fieldError.tooLong(`${field}.message`, longestMessage)] : []),
  ]
}

function reasonErrors(text: string, field: string): readonly FieldError[] {
  if (text === "") return [fieldError.required(field)]
  const rule = `${reasonRule} (e.g. ${reasonExamples}regex used for validation is '${reasonForm}')`
  return [
    ...(reason.test(text) ? [] : [fieldError.invalid(field, text, rule)]),
    ...(utf8Length(text) > longestReason ? [fieldError.tooLong(field, longestReason)] : []),
  ]
}
