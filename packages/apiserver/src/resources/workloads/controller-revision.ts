import { type FieldError, fieldError } from "@pilothouse/api"
import type { ControllerRevision } from "@pilothouse/api/apps/v1"
import { immutable, nonNegative } from "../../validation/field-rules.ts"
import type { ResourceStrategy } from "../resource.ts"

/** What a workload once was; it is not changed but in its number. */
export const controllerRevision: ResourceStrategy<ControllerRevision> = {
  validate: ({ revision, data }, old) => [...nonNegative(revision, "revision"), ...(old === undefined ? dataErrors(data) : [])],
  validateUpdate: (object, old) => immutable(object.data, old.data, "data"),
}

function dataErrors(data: unknown): readonly FieldError[] {
  if (data === undefined || data === null) return [fieldError.required("data", "data is mandatory")]
  const isObject = typeof data === "object" && !Array.isArray(data)
  return isObject ? [] : [fieldError.required("data", "data must be a valid JSON object")]
}
