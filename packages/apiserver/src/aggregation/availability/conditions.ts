import { deepEqual, findCondition, formatTime, isConditionTrue } from "@pilothouse/api"
import type { APIService, APIServiceCondition } from "@pilothouse/api/apiregistration/v1"

/** The condition Available before its time is known. */
export interface Availability extends Pick<APIServiceCondition, "reason" | "message"> {
  readonly status: "True" | "False"
}

const type = "Available"

/** Whether requests may be passed on. */
export function isAvailable({ status }: APIService): boolean {
  return isConditionTrue(status?.conditions, type)
}

/** Returns the condition Available; undefined before the first check. */
export function availabilityOf({ status }: APIService): APIServiceCondition | undefined {
  return findCondition(status?.conditions, type)
}

/** Returns the APIService with its condition; the same where that changes nothing. The time moves with the status alone. */
export function withAvailability<T extends APIService>(object: T, availability: Availability, now: number): T {
  const conditions = object.status?.conditions ?? []
  const old = availabilityOf(object)
  const lastTransitionTime = old?.status === availability.status ? old.lastTransitionTime : formatTime(now)
  const next: APIServiceCondition = { lastTransitionTime, ...availability, type }
  if (deepEqual(old, next)) return object
  const others = old === undefined ? [...conditions, next] : conditions.map((one) => (one === old ? next : one))
  return { ...object, status: { ...object.status, conditions: others } }
}
