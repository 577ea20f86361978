import { deepEqual, type FieldError, fieldError, isPercent } from "@pilothouse/api"
import type { Deployment, DeploymentSpec } from "@pilothouse/api/apps/v1"
import { immutable, nonNegative } from "../../validation/field-rules.ts"
import { atMostAll, intOrPercentErrors } from "../../validation/int-or-percent.ts"
import { validateWorkloadSelector } from "../../validation/label-selector.ts"
import { validateAlwaysRestarts, validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

export const deployment: ResourceStrategy<Deployment> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.replicas ??= 1
    spec.strategy ??= {}
    spec.strategy.type ??= "RollingUpdate"
    if (spec.strategy.type === "RollingUpdate") {
      spec.strategy.rollingUpdate ??= {}
      spec.strategy.rollingUpdate.maxUnavailable ??= "25%"
      spec.strategy.rollingUpdate.maxSurge ??= "25%"
    }
    spec.revisionHistoryLimit ??= 10
    spec.progressDeadlineSeconds ??= 600
    defaultTemplate(spec.template)
  },
  prepareForCreate(object) {
    object.status = {}
  },
  validate: ({ spec }) => [
    ...nonNegative(spec?.replicas, "spec.replicas"),
    ...validateWorkloadSelector(spec?.selector, spec?.template?.metadata?.labels, "deployment"),
    ...validatePodTemplate(spec?.template),
    ...validateAlwaysRestarts(spec?.template, "ReplicaSet"),
    ...(spec === undefined ? [] : strategyErrors(spec)),
    ...nonNegative(spec?.minReadySeconds, "spec.minReadySeconds"),
    ...nonNegative(spec?.revisionHistoryLimit, "spec.revisionHistoryLimit"),
    ...deadlineErrors(spec),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable(spec?.selector, old?.selector, "spec.selector"),
  statusKeeps: "labels",
  // The controller copies annotations to ReplicaSets: a change of them is one of what it has to do.
  generation: (object, old) => !deepEqual(object.spec, old.spec) || !deepEqual(object.metadata.annotations, old.metadata.annotations),
}

function strategyErrors({ strategy }: DeploymentSpec): readonly FieldError[] {
  const field = "spec.strategy"
  if (strategy?.type === "Recreate") {
    if (strategy.rollingUpdate === undefined) return []
    return [fieldError.forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
  }
  if (strategy?.type !== "RollingUpdate") {
    // Shown as Go has it in memory.
    const value = { Type: strategy?.type ?? "", RollingUpdate: null }
    return [fieldError.notSupported(field, value, ["Recreate", "RollingUpdate"])]
  }
  const { maxSurge = 0, maxUnavailable = 0 } = strategy.rollingUpdate ?? {}
  const wrong = [
    ...intOrPercentErrors(maxUnavailable, `${field}.rollingUpdate.maxUnavailable`),
    ...intOrPercentErrors(maxSurge, `${field}.rollingUpdate.maxSurge`),
    ...atMostAll(maxUnavailable, `${field}.rollingUpdate.maxUnavailable`),
  ]
  if (wrong.length > 0 || !isNone(maxSurge) || !isNone(maxUnavailable)) return wrong
  return [fieldError.invalid(`${field}.rollingUpdate.maxUnavailable`, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
}

function isNone(value: number | string): boolean {
  return value === 0 || (isPercent(value) && Number.parseInt(value, 10) === 0)
}

function deadlineErrors(spec: DeploymentSpec | undefined): readonly FieldError[] {
  const { progressDeadlineSeconds, minReadySeconds = 0 } = spec ?? {}
  const field = "spec.progressDeadlineSeconds"
  if (progressDeadlineSeconds === undefined) return []
  const negative = nonNegative(progressDeadlineSeconds, field)
  if (progressDeadlineSeconds > minReadySeconds) return negative
  return [...negative, fieldError.invalid(field, progressDeadlineSeconds, "must be greater than minReadySeconds")]
}
