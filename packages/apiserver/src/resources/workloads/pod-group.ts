import { checkDns1123Label, checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type { PodGroup, PodGroupSpec } from "@pilothouse/api/scheduling/v1alpha2"
import type { Draft } from "../../body/draft.ts"
import { conditionErrors } from "../../validation/conditions.ts"
import { immutable, named } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Pods that are scheduled together name their group. Deleting it waits for its finalizer, which the plugin PodGroupProtection adds. */
export const podGroup: ResourceStrategy<PodGroup> = {
  statusKeeps: "metadata",
  prepareForCreate: ({ spec }) => dropDisabledFields(spec, {}),
  prepareForUpdate: ({ spec }, old) => dropDisabledFields(spec, old.spec),
  validate: ({ spec }, old) => (old === undefined ? specErrors(spec) : []),
  validateUpdate: ({ spec }, { spec: old }) => [
    ...immutable(spec.podGroupTemplateRef, old.podGroupTemplateRef, "spec.podGroupTemplateRef"),
    ...immutable(spec.schedulingPolicy, old.schedulingPolicy, "spec.schedulingPolicy"),
  ],
  validateStatusUpdate: ({ status }) => conditionErrors(status?.conditions ?? [], "status.conditions"),
}

/** Fields of feature gates that are off by default even where PodGroups are served: they are left out, as upstream. */
const disabledFields = ["disruptionMode", "priority", "priorityClassName", "resourceClaims", "schedulingConstraints"] as const

function dropDisabledFields(spec: Draft<PodGroupSpec> | undefined, old: Partial<PodGroupSpec>): void {
  if (spec === undefined) return
  for (const name of disabledFields) if (old[name] === undefined) delete spec[name]
}

function specErrors({ schedulingPolicy = {}, podGroupTemplateRef }: Partial<PodGroupSpec>): readonly FieldError[] {
  const { basic, gang } = schedulingPolicy
  return [...unionErrors({ basic, gang }, "spec.schedulingPolicy"), ...gangErrors(gang), ...templateErrors(podGroupTemplateRef)]
}

function unionErrors(members: Readonly<Record<string, unknown>>, field: string): readonly FieldError[] {
  const names = Object.keys(members)
  const given = names.filter((name) => members[name] !== undefined)
  if (given.length === 1) return []
  const quoted = (some: readonly string[]) => some.map((name) => `\`${name}\``).join(", ")
  if (given.length === 0) return [fieldError.invalid(field, "", `must specify one of: ${quoted(names)}`)]
  return [fieldError.invalid(field, `{${given.join(", ")}}`, `must specify exactly one of: ${quoted(names)}`)]
}

function gangErrors(gang: PodGroupSpec["schedulingPolicy"]["gang"]): readonly FieldError[] {
  const field = "spec.schedulingPolicy.gang.minCount"
  if (gang === undefined || gang.minCount > 0) return []
  return gang.minCount === 0
    ? [fieldError.required(field)]
    : [fieldError.invalid(field, gang.minCount, "must be greater than or equal to 1")]
}

function templateErrors(reference: PodGroupSpec["podGroupTemplateRef"]): readonly FieldError[] {
  if (reference === undefined) return []
  const field = "spec.podGroupTemplateRef"
  const { workload } = reference
  if (workload === undefined) return [fieldError.invalid(field, "", "must specify one of: `workload`")]
  return [
    ...named(workload.workloadName, checkDns1123Subdomain, `${field}.workload.workloadName`),
    ...named(workload.podGroupTemplateName, checkDns1123Label, `${field}.workload.podGroupTemplateName`),
  ]
}
