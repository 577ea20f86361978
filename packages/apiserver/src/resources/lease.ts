import { fieldError } from "@pilothouse/api"
import type { Lease } from "@pilothouse/api/coordination/v1"
import { nonNegative } from "../validation/field-rules.ts"
import type { ResourceStrategy } from "./resource.ts"

/** Two that renew one lease must notice each other, so none may write without having read. */
export const lease: ResourceStrategy<Lease> = {
  unconditionalUpdate: false,
  createOnUpdate: true,
  validate: ({ spec }) => [
    ...(spec?.leaseDurationSeconds !== undefined && spec.leaseDurationSeconds <= 0
      ? [fieldError.invalid("spec.leaseDurationSeconds", spec.leaseDurationSeconds, "must be greater than 0")]
      : []),
    ...nonNegative(spec?.leaseTransitions, "spec.leaseTransitions"),
  ],
}
