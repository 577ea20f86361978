import { type ConditionLike, setCondition } from "@pilothouse/api"
import type { HorizontalPodAutoscalerCondition } from "@pilothouse/api/autoscaling/v2"

export type Conditions = readonly HorizontalPodAutoscalerCondition[]

type Type = "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero"

/** The conditions as they come to be in one look; the last word on each counts. */
export class ConditionDraft {
  #conditions: Conditions
  readonly #now: number

  constructor(conditions: Conditions | undefined, now: number) {
    this.#conditions = conditions ?? []
    this.#now = now
  }

  get list(): Conditions {
    return this.#conditions
  }

  set(type: Type, holds: boolean, reason: string, message: string): this {
    const next: ConditionLike & HorizontalPodAutoscalerCondition = { type, status: holds ? "True" : "False", reason, message }
    this.#conditions = setCondition(this.#conditions, next, this.#now)
    return this
  }
}
