import { findCondition, formatTime, isConditionTrue as isTrue } from "@pilothouse/api"
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from "@pilothouse/api/apiextensions/v1"

/** A condition before its time is known. */
export type Condition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">

/** The conditions that the server itself writes. */
export type ConditionType =
  | "Established"
  | "KubernetesAPIApprovalPolicyConformant"
  | "NamesAccepted"
  | "NonStructuralSchema"
  | "Terminating"

/** Returns the condition of that type, or undefined. */
export function conditionOf({ status }: CustomResourceDefinition, type: ConditionType): CustomResourceDefinitionCondition | undefined {
  return findCondition(status?.conditions, type)
}

/** Whether the definition has the condition, and it is True. */
export function isConditionTrue({ status }: CustomResourceDefinition, type: ConditionType): boolean {
  return isTrue(status?.conditions, type)
}

/**
 * Returns the definition with one of its conditions set, at its old place or at the end; the same definition where that changes nothing. The time moves
 * with the status alone, or where there was none; an observedGeneration that a client wrote stays.
 */
export function withCondition(definition: CustomResourceDefinition, condition: Condition, now: number): CustomResourceDefinition {
  const conditions = definition.status?.conditions ?? []
  const old = findCondition(conditions, condition.type)
  if (old?.status === condition.status && old.reason === condition.reason && old.message === condition.message) return definition
  const unchanged = old?.status === condition.status ? old.lastTransitionTime : undefined
  const next = { ...old, ...condition, lastTransitionTime: unchanged ?? formatTime(now) }
  return {
    ...definition,
    status: {
      ...definition.status,
      conditions: old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one)),
    },
  }
}
