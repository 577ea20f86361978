import { type FieldError, fieldError } from "@pilothouse/api"
import { findField } from "@pilothouse/api/jsonpath"
import type { JsonSchema, ValidationRule } from "../schema/json-schema.ts"
import { fieldPath } from "./field-path.ts"

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]

/** Returns what is wrong with a rule before its expressions are read. Without a schema its fieldPath is not followed. */
export function ruleFormatErrors(rule: ValidationRule, schema: JsonSchema | undefined, path: string): FieldError[] {
  const at = (field: string): string => fieldPath.child(path, field)
  return [
    ...messageErrors(rule, at),
    ...(rule.messageExpression && rule.messageExpression.trim() === ""
      ? [fieldError.required(at("messageExpression"), "messageExpression must be non-empty if specified")]
      : []),
    ...(rule.reason !== undefined && !reasons.includes(rule.reason) ? [fieldError.notSupported(at("reason"), rule.reason, reasons)] : []),
    ...pathErrors(rule.fieldPath ?? "", schema, at("fieldPath")),
  ]
}

function messageErrors({ rule, message = "" }: ValidationRule, at: (field: string) => string): FieldError[] {
  const [trimmedRule, trimmedMessage] = [(rule ?? "").trim(), message.trim()]
  if (trimmedRule === "") return [fieldError.required(at("rule"), "rule is not specified")]
  if (message !== "" && trimmedMessage === "") return [fieldError.invalid(at("message"), message, "must be non-empty if specified")]
  if (hasLineBreaks(trimmedMessage)) return [fieldError.invalid(at("message"), message, "must not contain line breaks")]
  if (!hasLineBreaks(trimmedRule) || trimmedMessage !== "") return []
  return [fieldError.required(at("message"), "message must be specified if rule contains line breaks")]
}

function pathErrors(text: string, schema: JsonSchema | undefined, at: string): FieldError[] {
  if (text === "") return []
  const invalid = (detail: string): FieldError => fieldError.invalid(at, text, detail)
  return [
    ...(text.trim() === "" ? [invalid("must be non-empty if specified")] : []),
    ...(hasLineBreaks(text) ? [invalid("must not contain line breaks")] : []),
    ...(schema && typeof findField(text, schema) === "string" ? [invalid("must be a valid path")] : []),
  ]
}

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text)
}
