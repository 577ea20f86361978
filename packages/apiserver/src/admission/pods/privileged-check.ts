import { type FieldError, fieldError, invalid, type KubeObject } from "@pilothouse/api"
import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { type AdmissionAttributes, type AdmissionPlugin, objectName } from "../plugin.ts"
import { podTemplateOf, templatePath } from "./pod-templates.ts"

/** Subresources of a pod that write its containers. */
const containerWrites: readonly string[] = ["", "ephemeralcontainers", "resize"]

/** --allow-privileged=false: refuses privileged containers and processes of Windows hosts, in pods and in templates of pods, as upstream's validation does. */
export const privilegedCheck: AdmissionPlugin = {
  name: "privileged-check",
  validate(attributes) {
    const { operation, object, resource } = attributes
    if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return
    const found = specIn(attributes)
    const errors = found === undefined ? [] : privilegeErrors(found.spec, found.field)
    if (errors.length > 0) throw invalid(resource.descriptor, objectName(attributes), errors)
  },
}

function specIn({ resource, subresource, object }: AdmissionAttributes): { readonly spec: PodSpec; readonly field: string } | undefined {
  const { group, plural } = resource.descriptor
  if (group === "" && plural === "pods") {
    const { spec } = object as unknown as Pod
    return spec && containerWrites.includes(subresource) ? { spec, field: "spec" } : undefined
  }
  const spec = subresource === "" ? podTemplateOf({ group, plural })?.(object as KubeObject)?.spec : undefined
  return spec && { spec, field: templatePath({ plural }) }
}

const lists = ["containers", "initContainers", "ephemeralContainers"] as const

function privilegeErrors(spec: PodSpec, field: string): readonly FieldError[] {
  const contexts = lists.flatMap((list) =>
    (spec[list] ?? []).map(({ securityContext }, index) => ({ securityContext, path: `${field}.${list}[${index}].securityContext` })),
  )
  const isHostProcess = [spec, ...contexts].some(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true)
  return [
    ...contexts
      .filter(({ securityContext }) => securityContext?.privileged === true)
      .map(({ path }) => fieldError.forbidden(`${path}.privileged`, "disallowed by cluster policy")),
    ...(isHostProcess ? [fieldError.forbidden(field, "hostProcess containers are disallowed by cluster policy")] : []),
  ]
}
