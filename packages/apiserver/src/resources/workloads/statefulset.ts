import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { StatefulSet } from "@pilothouse/api/apps/v1"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { nonNegative } from "../../validation/field-rules.ts"
import { validateWorkloadSelector } from "../../validation/label-selector.ts"
import { validateAlwaysRestarts, validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

export const statefulSet: ResourceStrategy<StatefulSet> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.podManagementPolicy ??= "OrderedReady"
    spec.updateStrategy ??= {}
    spec.updateStrategy.type ??= "RollingUpdate"
    if (spec.updateStrategy.type === "RollingUpdate") {
      spec.updateStrategy.rollingUpdate ??= {}
      spec.updateStrategy.rollingUpdate.partition ??= 0
    }
    spec.persistentVolumeClaimRetentionPolicy = {
      whenDeleted: "Retain",
      whenScaled: "Retain",
      ...spec.persistentVolumeClaimRetentionPolicy,
    }
    spec.replicas ??= 1
    spec.revisionHistoryLimit ??= 10
    for (const claim of spec.volumeClaimTemplates ?? []) defaultClaim(claim)
    defaultTemplate(spec.template)
  },
  prepareForCreate(object) {
    object.status = { replicas: 0, availableReplicas: 0 }
  },
  validate: ({ spec }) => [
    ...managementErrors(spec),
    ...strategyErrors(spec),
    ...nonNegative(spec?.replicas, "spec.replicas"),
    ...nonNegative(spec?.minReadySeconds, "spec.minReadySeconds"),
    ...nonNegative(spec?.ordinals?.start, "spec.ordinals.start"),
    ...validateWorkloadSelector(spec?.selector, spec?.template?.metadata?.labels, "statefulset"),
    ...validatePodTemplate(spec?.template, { extraVolumes: claimNames(spec) }),
    ...validateAlwaysRestarts(spec?.template, "StatefulSet"),
  ],
  validateUpdate: ({ spec }, { spec: old }) =>
    fixed.every((field) => deepEqual(spec?.[field], old?.[field])) ? [] : [fieldError.forbidden("spec", fixedText)],
  generation: "spec",
}

const fixed = ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"] as const
const fixedText =
  "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"

function managementErrors(spec: StatefulSet["spec"]): readonly FieldError[] {
  const policy = spec?.podManagementPolicy ?? ""
  if (policy === "") return [fieldError.required("spec.podManagementPolicy")]
  if (policy === "OrderedReady" || policy === "Parallel") return []
  return [fieldError.invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")]
}

function strategyErrors(spec: StatefulSet["spec"]): readonly FieldError[] {
  const { type = "", rollingUpdate } = spec?.updateStrategy ?? {}
  const field = "spec.updateStrategy"
  if (type === "RollingUpdate") return nonNegative(rollingUpdate?.partition, `${field}.rollingUpdate.partition`)
  if (type === "") return [fieldError.required(field)]
  if (type !== "OnDelete") return [fieldError.invalid(field, { Type: type, RollingUpdate: null }, "must be 'RollingUpdate' or 'OnDelete'")]
  if (rollingUpdate === undefined) return []
  return [fieldError.invalid(`${field}.rollingUpdate`, {}, `only allowed for updateStrategy 'RollingUpdate'`)]
}

function defaultClaim(claim: Draft<PersistentVolumeClaim>): void {
  claim.apiVersion = "v1"
  claim.kind = "PersistentVolumeClaim"
  if (claim.spec) claim.spec.volumeMode ??= "Filesystem"
  claim.status ??= {}
  claim.status.phase ??= "Pending"
}

/** A template may come without metadata, whatever its type says: an update is compared before it is validated. */
function claimNames(spec: StatefulSet["spec"]): readonly string[] {
  const templates: readonly Partial<PersistentVolumeClaim>[] = spec?.volumeClaimTemplates ?? []
  return templates.map(({ metadata }) => metadata?.name ?? "")
}
