import {
  checkDns1035Label,
  checkDns1123Subdomain,
  checkPathSegmentName,
  checkPortNumber,
  type FieldError,
  fieldError,
  formatTime,
  quoted,
} from "@pilothouse/api"
import type { APIService, APIServiceSpec } from "@pilothouse/api/apiregistration/v1"
import { required } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Of what this server answers itself. */
export const localCondition = {
  type: "Available",
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
} as const

const statuses = ["False", "True", "Unknown"] as const

export const apiService: ResourceStrategy<APIService> = {
  statusKeeps: "metadata",
  unconditionalUpdate: false,
  plainFinalizers: true,
  names: checkPathSegmentName,
  defaults({ spec }) {
    if (spec?.service !== undefined) spec.service.port ??= 443
  },
  prepareForCreate(object, { clock }) {
    if (object.spec?.service !== undefined) return
    object.status = { conditions: [{ ...localCondition, lastTransitionTime: formatTime(clock.now()) }] }
  },
  validate: ({ metadata, spec }) => [...nameErrors(metadata.name ?? "", spec), ...specErrors(spec)],
  validateStatusUpdate: ({ status }) =>
    (status?.conditions ?? []).flatMap((condition, index) =>
      statuses.some((known) => known === condition.status)
        ? []
        : [fieldError.notSupported(`status.conditions[${index}].status`, condition.status, statuses)],
    ),
}

function nameErrors(name: string, { group = "", version = "" }: Partial<APIServiceSpec> = {}): readonly FieldError[] {
  const expected = `${version}.${group}`
  // A name that can be no segment of a path is refused as such.
  if (name === expected || checkPathSegmentName(name).length > 0) return []
  return [fieldError.invalid("metadata.name", name, `must be \`spec.version+"."+spec.group\`: ${quoted(expected)}`)]
}

function specErrors(spec: Partial<APIServiceSpec> = {}): readonly FieldError[] {
  const { group = "", version = "", groupPriorityMinimum = 0, versionPriority = 0 } = spec
  return [
    ...(group === "" && version !== "v1"
      ? [fieldError.required("spec.group", "only v1 may have an empty group and it better be legacy kube")]
      : []),
    ...(group === "" ? [] : checkDns1123Subdomain(group).map((text) => fieldError.invalid("spec.group", group, text))),
    ...checkDns1035Label(version).map((text) => fieldError.invalid("spec.version", version, text)),
    ...priorityErrors(groupPriorityMinimum, 20_000, "spec.groupPriorityMinimum"),
    ...priorityErrors(versionPriority, 1000, "spec.versionPriority"),
    ...(spec.service === undefined ? localErrors(spec) : serviceErrors(spec, spec.service)),
  ]
}

function priorityErrors(priority: number, max: number, field: string): readonly FieldError[] {
  const isValid = priority > 0 && priority <= max
  return isValid ? [] : [fieldError.invalid(field, priority, `must be positive and less than ${max}`)]
}

function localErrors({ caBundle = "", insecureSkipTLSVerify = false }: Partial<APIServiceSpec>): readonly FieldError[] {
  const size = Buffer.byteLength(caBundle, "base64")
  return [
    ...(size === 0 ? [] : [fieldError.invalid("spec.caBundle", `${size} bytes`, "local APIServices may not have a caBundle")]),
    ...(insecureSkipTLSVerify
      ? [fieldError.invalid("spec.insecureSkipTLSVerify", true, "local APIServices may not have insecureSkipTLSVerify")]
      : []),
  ]
}

function serviceErrors(
  { caBundle = "", insecureSkipTLSVerify = false }: Partial<APIServiceSpec>,
  { name, namespace, port = 443 }: NonNullable<APIServiceSpec["service"]>,
): readonly FieldError[] {
  const faults = checkPortNumber(port)
  return [
    ...required(namespace, "spec.service.namespace"),
    ...required(name, "spec.service.name"),
    ...(faults.length === 0 ? [] : [fieldError.invalid("spec.service.port", port, `port is not valid: ${faults.join(", ")}`)]),
    ...(insecureSkipTLSVerify && caBundle !== ""
      ? [fieldError.invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ]
}
