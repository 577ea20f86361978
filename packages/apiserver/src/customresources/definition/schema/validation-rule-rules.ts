import { type FieldError, fieldError } from "@pilothouse/api"
import type { JSONSchemaProps, ValidationRule } from "@pilothouse/api/apiextensions/v1"
import { lazy } from "../../../server/lazy.ts"
import { findField } from "./schema-field-path.ts"
import { structuralFault } from "./structural-schema.ts"

const reasons: readonly string[] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]

/** Returns what is wrong with the x-kubernetes-validations of a schema, apart from their expressions. */
export function validationRuleErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const { "x-kubernetes-validations": rules = [] } = schema
  // A schema that cannot be structural is refused for that, and its paths are not followed.
  const isStructural = lazy(() => structuralFault(schema) === undefined)
  const leadsNowhere = (fieldPath: string) => typeof findField(fieldPath, schema, { brackets: true }) === "string" && isStructural()
  return rules.flatMap((rule, index) => {
    const at = `${path}.x-kubernetes-validations[${index}]`
    return [...textErrors(rule, at), ...answerErrors(rule, leadsNowhere, at)]
  })
}

/** Of the rule and its message only the first fault is reported. */
function textErrors({ rule = "", message = "", messageExpression = "" }: Partial<ValidationRule>, at: string): readonly FieldError[] {
  return [
    ...firstTextError(rule, message, at),
    ...(messageExpression !== "" && isBlank(messageExpression)
      ? [fieldError.required(`${at}.messageExpression`, "messageExpression must be non-empty if specified")]
      : []),
  ]
}

function firstTextError(rule: string, message: string, at: string): readonly FieldError[] {
  if (isBlank(rule)) return [fieldError.required(`${at}.rule`, "rule is not specified")]
  if (message !== "" && isBlank(message)) return [fieldError.invalid(`${at}.message`, message, "must be non-empty if specified")]
  if (hasLineBreak(message.trim())) return [fieldError.invalid(`${at}.message`, message, "must not contain line breaks")]
  if (!hasLineBreak(rule.trim()) || !isBlank(message)) return []
  return [fieldError.required(`${at}.message`, "message must be specified if rule contains line breaks")]
}

function answerErrors(
  { reason, fieldPath = "" }: ValidationRule,
  leadsNowhere: (fieldPath: string) => boolean,
  at: string,
): readonly FieldError[] {
  const invalid = (text: string) => fieldError.invalid(`${at}.fieldPath`, fieldPath, text)
  return [
    ...(reason === undefined || reasons.includes(reason) ? [] : [fieldError.notSupported(`${at}.reason`, reason, reasons)]),
    ...(fieldPath !== "" && isBlank(fieldPath) ? [invalid("must be non-empty if specified")] : []),
    ...(hasLineBreak(fieldPath) ? [invalid("must not contain line breaks")] : []),
    ...(fieldPath !== "" && leadsNowhere(fieldPath) ? [invalid("must be a valid path")] : []),
  ]
}

function isBlank(text: string): boolean {
  return text.trim() === ""
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}
