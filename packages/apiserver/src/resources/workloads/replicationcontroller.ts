import { fieldError, matchesLabels, selectorFromLabels } from "@pilothouse/api"
import type { ReplicationController } from "@pilothouse/api/core/v1"
import { nonNegative } from "../../validation/field-rules.ts"
import { validateAlwaysRestarts, validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

export const replicationController: ResourceStrategy<ReplicationController> = {
  defaults({ metadata, spec }) {
    if (spec === undefined) return
    const labels = spec.template?.metadata?.labels
    if (labels !== undefined) {
      spec.selector ??= { ...labels }
      metadata.labels ??= { ...labels }
    }
    spec.replicas ??= 1
    defaultTemplate(spec.template)
  },
  prepareForCreate(object) {
    object.status = { replicas: 0 }
  },
  validate: ({ spec }) => [
    ...nonNegative(spec?.minReadySeconds, "spec.minReadySeconds"),
    ...(Object.keys(spec?.selector ?? {}).length === 0 ? [fieldError.required("spec.selector")] : []),
    ...nonNegative(spec?.replicas, "spec.replicas"),
    ...templateErrors(spec),
  ],
  generation: "spec",
  // Its clients are older than the garbage collector, and delete the pods themselves.
  defaultPropagation: "Orphan",
  fields: { "status.replicas": ({ status }) => String(status?.replicas ?? 0) },
}

function templateErrors(spec: ReplicationController["spec"]) {
  if (spec?.template === undefined) return [fieldError.required("spec.template")]
  const { labels } = spec.template.metadata ?? {}
  const matches = matchesLabels(selectorFromLabels(spec.selector), labels)
  return [
    ...(matches
      ? []
      : [fieldError.invalid("spec.template.metadata.labels", labels ?? null, "`selector` does not match template `labels`")]),
    ...validatePodTemplate(spec.template),
    ...validateAlwaysRestarts(spec.template, "ReplicationController"),
  ]
}
