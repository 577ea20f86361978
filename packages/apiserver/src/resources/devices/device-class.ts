import { fieldError, isExtendedResource } from "@pilothouse/api"
import type { DeviceClass } from "@pilothouse/api/resource/v1"
import type { ResourceStrategy } from "../resource.ts"

export const deviceClass: ResourceStrategy<DeviceClass> = {
  deleteAnswer: "object",
  generation: "spec",
  validate({ spec: { extendedResourceName: name } }) {
    if (name === undefined || isExtendedResource(name)) return []
    return [fieldError.invalid("spec.extendedResourceName", name, "must be a valid extended resource name")]
  },
}
