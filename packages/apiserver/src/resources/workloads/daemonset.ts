import { addInt64, deepEqual, fieldError, type Int64, parseInt64 } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"
import type { Draft } from "../../body/draft.ts"
import { immutable, nonNegative } from "../../validation/field-rules.ts"
import { validateWorkloadSelector } from "../../validation/label-selector.ts"
import { validateAlwaysRestarts, validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

/** How often the template changed: a field of older versions, which lives on as an annotation. */
const templateGeneration = "deprecated.daemonset.template.generation"

export const daemonSet: ResourceStrategy<DaemonSet> = {
  defaults(object) {
    const { spec } = object
    // Written by every client that does not know of it, as a field that begins at zero.
    if (object.metadata.annotations?.[templateGeneration] === undefined) setGeneration(object, 0)
    if (spec === undefined) return
    spec.updateStrategy ??= {}
    spec.updateStrategy.type ??= "RollingUpdate"
    if (spec.updateStrategy.type === "RollingUpdate") {
      spec.updateStrategy.rollingUpdate ??= {}
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1
      spec.updateStrategy.rollingUpdate.maxSurge ??= 0
    }
    spec.revisionHistoryLimit ??= 10
    defaultTemplate(spec.template)
  },
  prepareForCreate(object) {
    object.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }
    setGeneration(object, 1)
  },
  prepareForUpdate(object, old) {
    const before = parseInt64(old.metadata.annotations?.[templateGeneration] ?? "") ?? 0
    setGeneration(object, addInt64(before, deepEqual(object.spec?.template, old.spec?.template) ? 0 : 1))
  },
  validate: ({ spec }) => [
    ...validateWorkloadSelector(spec?.selector, spec?.template?.metadata?.labels, "daemonset"),
    ...validatePodTemplate(spec?.template),
    ...validateAlwaysRestarts(spec?.template, "DaemonSet"),
    ...nonNegative(spec?.minReadySeconds, "spec.minReadySeconds"),
    ...rollingErrors(spec),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable(spec?.selector, old?.selector, "spec.selector"),
  generation: "spec",
}

function setGeneration(object: Draft<DaemonSet>, count: Int64): void {
  object.metadata.annotations = { ...object.metadata.annotations, [templateGeneration]: String(count) }
}

function rollingErrors(spec: DaemonSet["spec"]) {
  const rolling = spec?.updateStrategy?.rollingUpdate
  const type = spec?.updateStrategy?.type ?? ""
  if (type !== "RollingUpdate" && type !== "OnDelete") {
    return [fieldError.notSupported("spec.updateStrategy", { Type: type, RollingUpdate: null }, ["RollingUpdate", "OnDelete"])]
  }
  if (type !== "RollingUpdate" || rolling === undefined) return []
  const field = "spec.updateStrategy.rollingUpdate"
  const none = (value: number | string | undefined) => Number.parseInt(String(value ?? 0), 10) === 0
  if (none(rolling.maxUnavailable) && none(rolling.maxSurge)) {
    return [fieldError.required(`${field}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]
  }
  if (none(rolling.maxUnavailable) || none(rolling.maxSurge)) return []
  return [fieldError.invalid(`${field}.maxSurge`, rolling.maxSurge, "may not be set when maxUnavailable is non-zero")]
}
