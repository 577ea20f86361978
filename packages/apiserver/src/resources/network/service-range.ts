import { type FieldError, fieldError } from "@pilothouse/api"
import type { IPAddress, ServiceCIDR } from "@pilothouse/api/networking/v1"
import { required } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Kept for those who ask; the server's own addresses are given out without them. */
export const ipAddress: ResourceStrategy<IPAddress> = {
  validate: ({ spec }) => parentErrors(spec?.parentRef),
}

function parentErrors(parent: IPAddress["spec"]["parentRef"] | undefined): readonly FieldError[] {
  const field = "spec.parentRef"
  if (parent === undefined) return [fieldError.required(field)]
  return [...required(parent.resource, `${field}.resource`), ...required(parent.name, `${field}.name`)]
}

export const serviceCidr: ResourceStrategy<ServiceCIDR> = {
  statusKeeps: "metadata",
  validate: ({ spec }) => ((spec?.cidrs ?? []).length === 0 ? [fieldError.required("spec.cidrs", "at least one CIDR required")] : []),
}
