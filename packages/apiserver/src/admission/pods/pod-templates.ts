import type { KubeObject } from "@pilothouse/api"
import type { PodTemplateSpec } from "@pilothouse/api/core/v1"

type TemplateOf = (object: KubeObject) => PodTemplateSpec | undefined

/** Where a kind of the group and plural keeps the template of its pods. */
const templates: Readonly<Record<string, TemplateOf>> = {
  "/replicationcontrollers": inSpec,
  "/podtemplates": (object: KubeObject & { readonly template?: PodTemplateSpec }) => object.template,
  "apps/replicasets": inSpec,
  "apps/deployments": inSpec,
  "apps/statefulsets": inSpec,
  "apps/daemonsets": inSpec,
  "batch/jobs": inSpec,
  "batch/cronjobs": (object: KubeObject & { readonly spec?: { readonly jobTemplate?: { readonly spec?: Templated } } }) =>
    object.spec?.jobTemplate?.spec?.template,
}

interface Templated {
  readonly template?: PodTemplateSpec
}

function inSpec(object: KubeObject & { readonly spec?: Templated }): PodTemplateSpec | undefined {
  return object.spec?.template
}

/** Returns how the template of pods is read from objects of a kind; undefined for a kind without one. */
export function podTemplateOf({ group, plural }: { readonly group: string; readonly plural: string }): TemplateOf | undefined {
  return templates[`${group}/${plural}`]
}

/** The path of the template's spec in objects of a kind. */
export function templatePath({ plural }: { readonly plural: string }): string {
  if (plural === "podtemplates") return "template.spec"
  return plural === "cronjobs" ? "spec.jobTemplate.spec.template.spec" : "spec.template.spec"
}
