import type { Job, JobSpec } from "@pilothouse/api/batch/v1"
import type { Draft } from "../draft.ts"
import { jobSpecErrors, jobSpecUpdateErrors } from "../validation/job-spec.ts"
import { jobStatusErrors } from "../validation/job-status.ts"
import { nameLabel, oldNameLabel, oldUidLabel, uidLabel } from "./job-labels.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"
import type { Special } from "./resource.ts"

export const job: Special<Job> = {
  defaults: defaultJob,
  prepareForCreate(object) {
    object.status = {}
    if (object.spec?.manualSelector !== true) generateSelector(object)
    const labels = object.spec?.template?.metadata?.labels ?? {}
    if (Object.keys(object.metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0) object.metadata.labels = { ...labels }
  },
  validate: ({ metadata, spec }) => jobSpecErrors(metadata.uid ?? "", spec),
  validateUpdate: ({ spec }, { spec: old }) => jobSpecUpdateErrors(spec, old),
  validateStatusUpdate: jobStatusErrors,
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
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ??= "True"
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
  spec.selector.matchLabels = { ...spec.selector.matchLabels, [uidLabel]: uid }
}
