import type { Job, JobSpec } from "@pilothouse/api/batch/v1"
import type { Draft } from "../../body/draft.ts"
import { nameLabel, oldNameLabel, oldUidLabel, uidLabel } from "../../validation/jobs/job-labels.ts"
import { jobSpecErrors, jobSpecUpdateErrors } from "../../validation/jobs/job-spec.ts"
import { jobStatusErrors } from "../../validation/jobs/job-status.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

export const job: ResourceStrategy<Job> = {
  defaults: defaultJob,
  prepareForCreate(object) {
    object.status = {}
    const copied = hasTemplateLabels(object)
    if (object.spec?.manualSelector !== true) generateSelector(object)
    const labels = object.spec?.template?.metadata?.labels
    if (copied && !isEmpty(labels)) object.metadata.labels = { ...labels }
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
  const labels = spec.template?.metadata?.labels
  // The very same labels, as upstream has it: what is added to the template's is added to the job's.
  if (isEmpty(metadata.labels) && !isEmpty(labels)) metadata.labels = labels
  defaultTemplate(spec.template)
}

/**
 * Whether the job has no labels but its template's, so that it gets what is added to those. With a generated name every attempt works on a copy, as
 * upstream's does, and there they are no longer the same: the job keeps to what its template said.
 */
function hasTemplateLabels({ metadata, spec }: Draft<Job>): boolean {
  return isEmpty(metadata.labels) || metadata.labels === spec?.template?.metadata?.labels
}

function isEmpty(labels: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(labels ?? {}).length === 0
}

function defaultPolicies(spec: Draft<JobSpec>): void {
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2147483647
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? [])
    for (const pattern of onPodConditions ?? []) pattern.status ||= "True"
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed"
}

/** A job finds its pods by its own uid, which the pods of no other job carry. */
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
