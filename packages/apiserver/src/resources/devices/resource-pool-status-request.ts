import { checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type { ResourcePoolStatusRequest } from "@pilothouse/api/resource/v1alpha3"
import { conditionErrors } from "../../validation/conditions.ts"
import { immutable, named } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Asks once how many devices of a driver's pools are in use; the answer is its status, which is written once. */
export const resourcePoolStatusRequest: ResourceStrategy<ResourcePoolStatusRequest> = {
  statusKeeps: "metadata",
  unconditionalUpdate: false,
  validate: (request, old) => (old === undefined ? specErrors(request) : []),
  validateUpdate: ({ spec }, old) => immutable(spec, old.spec, "spec"),
  validateStatusUpdate: ({ status }, { status: old }) =>
    old === undefined ? conditionErrors(status?.conditions ?? [], "status.conditions") : immutable(status, old, "status"),
}

const maxPools = 1000

function specErrors({ spec }: ResourcePoolStatusRequest): readonly FieldError[] {
  const { driver, poolName, limit = 100 } = spec
  return [
    ...named(driver, (name) => checkDns1123Subdomain(name.toLowerCase()), "spec.driver"),
    ...(poolName === undefined ? [] : poolNameErrors(poolName, "spec.poolName")),
    ...(limit > maxPools ? [fieldError.invalid("spec.limit", limit, `must be less than or equal to ${maxPools}`)] : []),
    ...(limit < 1 ? [fieldError.invalid("spec.limit", limit, "must be greater than or equal to 1")] : []),
  ]
}

/** "rack-1/node-7" */
function poolNameErrors(name: string, field: string): readonly FieldError[] {
  const faults = name.split("/").flatMap((part, index) => {
    const found = part === "" ? ["must not be empty"] : checkDns1123Subdomain(part)
    return found.map((text) => fieldError.invalid(field, name, `segment ${index}: ${text}`))
  })
  return name.length > 253 ? [fieldError.tooLong(field, 253), ...faults] : faults
}
