import { formatTime } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@pilothouse/api/apiextensions/v1"
export type Condition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">
export function isConditionTrue(definition: CustomResourceDefinition, type: string): boolean {
  return definition.status?.conditions?.some((one) => one.type === type && one.status === "True") ?? false
}
export function withCondition(definition: CustomResourceDefinition, condition: Condition, now: number): CustomResourceDefinition {
  const conditions = definition.status?.conditions ?? []
  const old = conditions.find((one) => one.type === condition.type)
  if (old?.status === condition.status && old.reason === condition.reason && old.message === condition.message) return definition
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : formatTime(now)
  const next = { ...condition, lastTransitionTime }
  return {
    ...definition,
    status: {
      ...definition.status,
      conditions: old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one)),
    },
  }
}
