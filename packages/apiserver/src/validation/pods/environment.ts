import { checkDns1123Subdomain, checkEnvironmentName, type FieldError, fieldError } from "@pilothouse/api"
import type { Container, EnvVar, EnvVarSource } from "@pilothouse/api/core/v1"
import { named } from "../field-rules.ts"

const kinds = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"

export function environmentErrors({ env = [] }: Container, field: string): readonly FieldError[] {
  return env.flatMap((variable, index) => [
    ...named(variable.name, checkEnvironmentName, `${field}[${index}].name`),
    ...sourceErrors(variable, `${field}[${index}].valueFrom`),
  ])
}

function sourceErrors({ value = "", valueFrom }: EnvVar, field: string): readonly FieldError[] {
  if (valueFrom === undefined) return []
  const sources = Object.keys(valueFrom).length
  if (sources === 0) return [fieldError.invalid(field, "", kinds)]
  return [
    ...(value === "" ? [] : [fieldError.invalid(field, "", "may not be specified when `value` is not empty")]),
    ...(value === "" && sources > 1 ? [fieldError.invalid(field, "", "may not have more than one field specified at a time")] : []),
    ...fieldPathErrors(valueFrom.fieldRef?.fieldPath, `${field}.fieldRef.fieldPath`),
    ...keyErrors(valueFrom.configMapKeyRef, `${field}.configMapKeyRef`),
    ...keyErrors(valueFrom.secretKeyRef, `${field}.secretKeyRef`),
  ]
}

function keyErrors(ref: EnvVarSource["configMapKeyRef"], field: string): readonly FieldError[] {
  if (ref === undefined) return []
  const { name = "", key = "" } = ref
  return [
    ...checkDns1123Subdomain(name).map((text) => fieldError.invalid(`${field}.name`, name, text)),
    ...(key === "" ? [fieldError.required(`${field}.key`)] : []),
  ]
}

const paths: ReadonlySet<string> = new Set([
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
])
const addresses: ReadonlySet<string> = new Set(["status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"])

/** Refuses paths that the downward API does not offer. */
function fieldPathErrors(path: string | undefined, field: string): readonly FieldError[] {
  if (path === undefined || paths.has(path) || addresses.has(path) || /^metadata\.(labels|annotations)\[.+\]$/.test(path)) return []
  if (path === "") return [fieldError.required(field)]
  return [fieldError.invalid(field, path, `error converting fieldPath: field label not supported: ${path}`)]
}
