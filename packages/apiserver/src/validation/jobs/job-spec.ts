import { type FieldError, fieldError, matchesLabels, selectorOf } from "@pilothouse/api"
import type { JobSpec } from "@pilothouse/api/batch/v1"
import { immutable, nonNegative, oneOf } from "../field-rules.ts"
import { validatePodTemplate } from "../pods/pod-spec.ts"
import { oldUidLabel, uidLabel } from "./job-labels.ts"

/** Unless one asks to choose the pods oneself, the selector holds the job's uid and nothing else. */
function ownSelectorErrors(uid: string, spec: JobSpec | undefined): readonly FieldError[] {
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {}
  const generated = Object.keys(matchLabels).every((key) => key === uidLabel || key === oldUidLabel) && matchExpressions.length === 0
  const own = generated && Object.values(matchLabels).every((value) => value === uid)
  if (spec?.selector === undefined || spec.manualSelector === true || own) return []
  return [fieldError.invalid("spec.selector", spec.selector, "`selector` not auto-generated")]
}

const amounts = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"] as const

/** Returns what is wrong with the spec of a Job, in upstream's order. */
export function jobSpecErrors(uid: string, spec: JobSpec | undefined): readonly FieldError[] {
  return [
    ...ownSelectorErrors(uid, spec),
    ...(spec?.selector === undefined ? [fieldError.required("spec.selector")] : matchErrors(spec)),
    ...amounts.flatMap((field) => nonNegative(spec?.[field], `spec.${field}`)),
    ...oneOf(spec?.completionMode ?? "NonIndexed", ["NonIndexed", "Indexed"], "spec.completionMode"),
    ...oneOf(spec?.podReplacementPolicy ?? "TerminatingOrFailed", ["Failed", "TerminatingOrFailed"], "spec.podReplacementPolicy"),
    ...indexErrors(spec),
    ...validatePodTemplate(spec?.template),
    ...restartErrors(spec?.template?.spec?.restartPolicy ?? ""),
  ]
}

const policies = ["OnFailure", "Never"]

export function restartErrors(policy: string, field = "spec.template.spec.restartPolicy"): readonly FieldError[] {
  if (policies.includes(policy)) return []
  // Upstream takes the default for nothing said.
  if (policy === "Always" || policy === "") return [fieldError.required(field, 'valid values: "OnFailure", "Never"')]
  return [fieldError.notSupported(field, policy, policies)]
}

function matchErrors({ selector, template }: JobSpec): readonly FieldError[] {
  if (matchesLabels(selectorOf(selector), template?.metadata?.labels)) return []
  const labels = template?.metadata?.labels
  const sorted = labels && Object.fromEntries(Object.entries(labels).sort(([left], [right]) => (left < right ? -1 : 1)))
  return [fieldError.invalid("spec.template.metadata.labels", sorted ?? null, "`selector` does not match template `labels`")]
}

function indexErrors(spec: JobSpec | undefined): readonly FieldError[] {
  if (spec?.completionMode === "Indexed") {
    return spec.completions === undefined ? [fieldError.required("spec.completions", "when completion mode is Indexed")] : []
  }
  if (spec?.backoffLimitPerIndex === undefined) return []
  return [fieldError.invalid("spec.backoffLimitPerIndex", spec.backoffLimitPerIndex, "requires indexed completion mode")]
}

const fixed = ["selector", "completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"] as const

/** The template can change while nothing runs of it: a suspended job that has not begun. */
export function jobSpecUpdateErrors(spec: JobSpec | undefined, old: JobSpec | undefined): readonly FieldError[] {
  return [
    ...completionErrors(spec, old),
    ...(old?.suspend === true ? [] : immutable(spec?.template, old?.template, "spec.template")),
    ...fixed.flatMap((field) => immutable(spec?.[field], old?.[field], `spec.${field}`)),
  ]
}

function completionErrors(spec: JobSpec | undefined, old: JobSpec | undefined): readonly FieldError[] {
  if (spec?.completions === old?.completions) return []
  if (spec?.completionMode !== "Indexed" || spec.completions === undefined || old?.completions === undefined) {
    return immutable(spec?.completions, old?.completions, "spec.completions")
  }
  if (spec.completions === spec.parallelism) return []
  return [fieldError.invalid("spec.completions", spec.completions, "can only be modified in tandem with spec.parallelism")]
}
