import { type FieldError, fieldError, formatTime } from "@pilothouse/api"
import type { ResourceSlice, ResourceSliceSpec } from "@pilothouse/api/resource/v1"
import type { Clock } from "@pilothouse/seams"
import type { Draft } from "../../body/draft.ts"
import { required } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

export const resourceSlice: ResourceStrategy<ResourceSlice> = {
  deleteAnswer: "object",
  generation: "spec",
  prepareForCreate: (slice, { clock }) => dateTaints(slice, clock),
  prepareForUpdate: (slice, _old, { clock }) => dateTaints(slice, clock),
  validate: ({ spec }) => sliceErrors(spec ?? {}),
  fields: { "spec.nodeName": ({ spec }) => spec.nodeName ?? "", "spec.driver": ({ spec }) => spec.driver },
}

/** A taint without a time is from now on: tolerations for a while count from there. */
function dateTaints({ spec }: Draft<ResourceSlice>, clock: Clock): void {
  for (const { taints } of spec?.devices ?? []) for (const taint of taints ?? []) taint.timeAdded ??= formatTime(clock.now())
}

const places = ["nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"] as const

function sliceErrors(spec: Partial<ResourceSliceSpec>): readonly FieldError[] {
  const { name, resourceSliceCount = 0 } = spec.pool ?? {}
  const quoted = places.map((place) => `\`${place}\``).join(", ")
  const none = places.every((place) => (spec[place] ?? false) === false)
  return [
    ...required(spec.driver, "spec.driver"),
    ...required(name, "spec.pool.name"),
    ...(resourceSliceCount > 0
      ? []
      : [fieldError.invalid("spec.pool.resourceSliceCount", resourceSliceCount, "must be greater than zero")]),
    ...(none ? [fieldError.required("spec", `exactly one of ${quoted} is required`)] : []),
  ]
}
