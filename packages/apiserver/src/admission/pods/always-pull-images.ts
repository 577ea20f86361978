import { fieldError, formatFieldErrors } from "@pilothouse/api"
import type { Pod, PodSpec } from "@pilothouse/api/core/v1"
import { aggregate } from "../../authorization/authorizer.ts"
import type { Draft } from "../../body/draft.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"
import { unknownError } from "./pod-node-selector.ts"

/** Pulls every image, so that a pod cannot use a private one that another pod has pulled before. */
export const alwaysPullImages: AdmissionPlugin = {
  name: "AlwaysPullImages",
  admit(attributes) {
    if (isIgnored(attributes)) return
    const { spec } = attributes.object as Draft<Pod>
    for (const container of allContainers(spec)) container.imagePullPolicy = "Always"
    for (const { image } of spec?.volumes ?? []) if (image !== undefined) image.pullPolicy = "Always"
  },
  validate(attributes) {
    if (isIgnored(attributes)) return
    const faults = policiesOf((attributes.object as Pod).spec).filter(({ policy }) => policy !== "Always")
    const texts = faults.map(({ field, policy }) => {
      const error = fieldError.notSupported(field, policy, ["Always"])
      return refusal(attributes, formatFieldErrors([error])).status.message ?? ""
    })
    if (texts.length === 0) return
    throw unknownError(aggregate(texts))
  },
}

/** An update without a new image leaves the policies as they are. */
function isIgnored({ operation, object, old }: AdmissionAttributes): boolean {
  if (operation === "DELETE") return true
  if (operation === "CREATE") return false
  const before = new Set(allContainers((old as Pod).spec).map(({ image }) => image))
  return allContainers((object as Pod).spec).every(({ image }) => before.has(image))
}

type Spec = NonNullable<Draft<Pod>["spec"]>

function allContainers(spec: PodSpec | Spec | undefined) {
  const { initContainers = [], containers = [], ephemeralContainers = [] } = (spec ?? {}) as Partial<Spec>
  return [...initContainers, ...containers, ...ephemeralContainers]
}

function policiesOf(spec: PodSpec | undefined): readonly { readonly field: string; readonly policy: string }[] {
  const lists = ["initContainers", "containers", "ephemeralContainers"] as const
  return [
    ...lists.flatMap((list) =>
      (spec?.[list] ?? []).map(({ imagePullPolicy = "" }, index) => ({
        field: `spec.${list}[${index}].imagePullPolicy`,
        policy: imagePullPolicy,
      })),
    ),
    ...(spec?.volumes ?? []).flatMap(({ image }, index) =>
      image === undefined ? [] : [{ field: `spec.volumes[${index}].image.pullPolicy`, policy: image.pullPolicy ?? "" }],
    ),
  ]
}
