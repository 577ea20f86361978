import { type FieldError, fieldError } from "@pilothouse/api"
import type { DeviceClaim, ResourceClaim, ResourceClaimTemplate } from "@pilothouse/api/resource/v1"
import type { Draft } from "../../body/draft.ts"
import { immutable } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

export const resourceClaim: ResourceStrategy<ResourceClaim> = {
  statusKeeps: "metadata",
  deleteAnswer: "object",
  defaults: ({ spec }) => oneOfEach(spec?.devices),
  validateUpdate: ({ spec }, old) => immutable(spec, old.spec, "spec"),
  validateStatusUpdate: statusErrors,
}

/** Devices are not exchanged under the pods that have them: an allocation is written once, then removed. */
function statusErrors({ metadata, status = {} }: ResourceClaim, { status: old = {} }: ResourceClaim): readonly FieldError[] {
  const { allocation, reservedFor = [] } = status
  const errors: FieldError[] = []
  if (allocation !== undefined && old.allocation !== undefined) errors.push(...immutable(allocation, old.allocation, "status.allocation"))
  if (reservedFor.length === 0) return errors
  if (allocation === undefined)
    return [...errors, fieldError.forbidden("status.reservedFor", "may not be specified when `allocated` is not set")]
  const known = new Set((old.reservedFor ?? []).map(({ uid }) => uid))
  if (metadata.deletionTimestamp !== undefined && reservedFor.some(({ uid }) => !known.has(uid)))
    errors.push(
      fieldError.forbidden(
        "status.reservedFor",
        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
      ),
    )
  return errors
}

export const resourceClaimTemplate: ResourceStrategy<ResourceClaimTemplate> = {
  deleteAnswer: "object",
  defaults: ({ spec }) => oneOfEach(spec?.spec?.devices),
  validateUpdate: ({ spec }, old) => immutable(spec, old.spec, "spec"),
}

/** A request without a count is for one device. */
function oneOfEach(devices: Draft<DeviceClaim> | undefined): void {
  for (const { exactly, firstAvailable = [] } of devices?.requests ?? []) {
    for (const asked of [...(exactly === undefined ? [] : [exactly]), ...firstAvailable]) {
      asked.allocationMode ??= "ExactCount"
      if (asked.allocationMode === "ExactCount") asked.count ??= 1
    }
  }
}
