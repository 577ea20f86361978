import type { Int64 } from "../quantity/scalars.ts"
import { formatTime } from "../text/time.ts"
import { deepEqual } from "./deep-equal.ts"

/** What the conditions of all kinds have in common. */
export interface ConditionLike {
  readonly type: string
  /** "True", "False" or "Unknown". */
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
  readonly observedGeneration?: Int64
}

type Conditions<C> = readonly C[] | undefined

/** The condition without the time: `setCondition` knows it. */
export type NewCondition<C extends ConditionLike> = Omit<C, "lastTransitionTime"> & Pick<ConditionLike, "lastTransitionTime">

/** Returns the condition of a type, or undefined. */
export function findCondition<C extends ConditionLike>(conditions: Conditions<C>, type: string): C | undefined {
  return conditions?.find((condition) => condition.type === type)
}

/** Reports whether the condition is there with status True. */
export function isConditionTrue(conditions: Conditions<ConditionLike>, type: string): boolean {
  return findCondition(conditions, type)?.status === "True"
}

/** Reports whether the condition is there with status False. */
export function isConditionFalse(conditions: Conditions<ConditionLike>, type: string): boolean {
  return findCondition(conditions, type)?.status === "False"
}

/**
 * The list with the condition set; the same list when that changes nothing.
 * lastTransitionTime moves only when the status does. Fields the new condition does not speak of (lastProbeTime…) stay,
 * but for reason, message and observedGeneration, which belong to the status they came with.
 */
export function setCondition<C extends ConditionLike>(conditions: Conditions<C>, next: NewCondition<C>, now: number): readonly C[] {
  const old = findCondition(conditions, next.type)
  if (conditions === undefined || old === undefined) return [...(conditions ?? []), timed(next, next.lastTransitionTime ?? formatTime(now))]
  const time = old.status === next.status ? old.lastTransitionTime : (next.lastTransitionTime ?? formatTime(now))
  const { reason, message, observedGeneration, ...kept } = old
  const merged = timed<C>({ ...(kept as unknown as NewCondition<C>), ...next }, time)
  return deepEqual(old, merged) ? conditions : conditions.map((condition) => (condition === old ? merged : condition))
}

function timed<C extends ConditionLike>(condition: NewCondition<C>, lastTransitionTime: string | undefined): C {
  return { ...condition, ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }) } as unknown as C
}

/** The list without conditions of that type; the same list when there is none. */
export function removeCondition<C extends ConditionLike>(conditions: readonly C[], type: string): readonly C[] {
  const left = conditions.filter((condition) => condition.type !== type)
  return left.length === conditions.length ? conditions : left
}
