import type { ReplicaSet } from "@pilothouse/api/apps/v1"
import { immutable, nonNegative } from "../../validation/field-rules.ts"
import { validateWorkloadSelector } from "../../validation/label-selector.ts"
import { validateAlwaysRestarts, validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

export const replicaSet: ResourceStrategy<ReplicaSet> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.replicas ??= 1
    defaultTemplate(spec.template)
  },
  prepareForCreate(object) {
    object.status = { replicas: 0 }
  },
  validate: ({ spec }) => [
    ...nonNegative(spec?.replicas, "spec.replicas"),
    ...nonNegative(spec?.minReadySeconds, "spec.minReadySeconds"),
    // Upstream's word here is "deployment" too.
    ...validateWorkloadSelector(spec?.selector, spec?.template?.metadata?.labels, "deployment"),
    ...validatePodTemplate(spec?.template),
    ...validateAlwaysRestarts(spec?.template, "ReplicaSet"),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable(spec?.selector, old?.selector, "spec.selector"),
  generation: "spec",
  fields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
}
