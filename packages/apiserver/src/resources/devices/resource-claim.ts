import type { DeviceClaim, ResourceClaim, ResourceClaimTemplate } from "@pilothouse/api/resource/v1"
import type { Draft } from "../../body/draft.ts"
import type { ResourceStrategy } from "../resource.ts"

export const resourceClaim: ResourceStrategy<ResourceClaim> = {
  statusKeeps: "metadata",
  deleteAnswer: "object",
  defaults: ({ spec }) => oneOfEach(spec?.devices),
}

export const resourceClaimTemplate: ResourceStrategy<ResourceClaimTemplate> = {
  deleteAnswer: "object",
  defaults: ({ spec }) => oneOfEach(spec?.spec?.devices),
}

/** Who does not say how many devices asks for one. */
function oneOfEach(devices: Draft<DeviceClaim> | undefined): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const asked of [...(exactly === undefined ? [] : [exactly]), ...firstAvailable]) {
      asked.allocationMode ??= "ExactCount"
      if (asked.allocationMode === "ExactCount") asked.count ??= 1
    }
  }
}
