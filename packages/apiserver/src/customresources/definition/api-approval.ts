import type { CustomResourceDefinition } from "@pilothouse/api/apiextensions/v1"
import type { Condition } from "./conditions.ts"
export function approvalCondition(_definition: CustomResourceDefinition): Condition | undefined {
  return undefined
}
