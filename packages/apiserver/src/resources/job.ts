import { type FieldError, fieldError, matchesLabels, selectorOf } from "@pilothouse/api"
import type { Job, JobSpec } from "@pilothouse/api/batch/v1"
import type { Draft } from "../draft.ts"
import { immutable, nonNegative } from "../validation/field-rules.ts"
import { validatePodTemplate } from "../validation/pod-spec.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"
import type { Special } from "./resource.ts"

const uidLabel = "batch.kubernetes.io/controller-uid"
const nameLabel = "batch.kubernetes.io/job-name"
const oldUidLabel = "controller-uid"
const oldNameLabel = "job-name"

export const job: Special<Job> = {
  defaults: defaultJob,
  prepareForCreate(object) {
    object.status = {}
    if (object.spec?.manualSelector !== true) generateSelector(object)
  },
  validate: ({ spec }) => validateJobSpec(spec),
  validateUpdate: ({ spec }, { spec: old }) => updateErrors(spec, old),
  generation: "spec",
  // So that `kubectl delete --cascade=orphan` of old clients still means what it did.
  defaultPropagation: "Orphan",
  orphanWarning:
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
  fields: { "status.successful": ({ status }) => String(status?.succeeded ?? 0) },
}

function defaultJob({ metadata, spec }: Draft<Job>): void {
  if (spec === undefined) return
  if (spec.parallelism === undefined) spec.completions ??= 1
  spec.parallelism ??= 1
  spec.completionMode ??= "NonIndexed"
  spec.suspend ??= false
  spec.manualSelector ??= false
  defaultPolicies(spec)
  const labels = spec.template?.metadata?.labels ?? {}
  if (Object.keys(labels).length > 0) metadata.labels ??= { ...labels }
  defaultTemplate(spec.template)
}

function defaultPolicies(spec: Draft<JobSpec>): void {
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed"
}

/** A job finds its pods by its own uid, which nobody else's pods can carry by accident. */
function generateSelector({ metadata, spec }: Draft<Job>): void {
  if (spec?.template === undefined) return
  const { uid = "", name = "" } = metadata
  spec.template.metadata ??= {}
  const given = spec.template.metadata.labels ?? {}
  const labels = { [nameLabel]: name, [oldNameLabel]: name, [uidLabel]: uid, [oldUidLabel]: uid }
  spec.template.metadata.labels = { ...labels, ...given }
  spec.selector ??= {}
  spec.selector.matchLabels = { [uidLabel]: uid, ...spec.selector.matchLabels }
}

export function validateJobSpec(spec: JobSpec | undefined): readonly FieldError[] {
  const policy = spec?.template?.spec?.restartPolicy ?? ""
  const restart = "spec.template.spec.restartPolicy"
  return [
    ...(spec?.selector === undefined ? [fieldError.required("spec.selector")] : matchErrors(spec)),
    ...nonNegative(spec?.parallelism, "spec.parallelism"),
    ...nonNegative(spec?.completions, "spec.completions"),
    ...nonNegative(spec?.activeDeadlineSeconds, "spec.activeDeadlineSeconds"),
    ...nonNegative(spec?.backoffLimit, "spec.backoffLimit"),
    ...nonNegative(spec?.ttlSecondsAfterFinished, "spec.ttlSecondsAfterFinished"),
    ...indexErrors(spec),
    ...validatePodTemplate(spec?.template),
    ...(policy === "OnFailure" || policy === "Never" ? [] : [fieldError.notSupported(restart, policy, ["OnFailure", "Never"])]),
  ]
}

function matchErrors({ selector, template }: JobSpec): readonly FieldError[] {
  if (matchesLabels(selectorOf(selector), template?.metadata?.labels)) return []
  return [
    fieldError.invalid("spec.template.metadata.labels", template?.metadata?.labels ?? null, "`selector` does not match template `labels`"),
  ]
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
function updateErrors(spec: JobSpec | undefined, old: JobSpec | undefined): readonly FieldError[] {
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
