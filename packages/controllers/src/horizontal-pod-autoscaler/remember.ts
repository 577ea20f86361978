import { deepEqual } from "@pilothouse/api"
import { type Executor, type PlanBuilder, type RememberOperation, remembers } from "@pilothouse/runtime"
import type { Remembered, ScalingMemory } from "./memory.ts"
import type { Observed } from "./observe.ts"

/** What is kept for the windows and policies of later looks is part of the plan: so that deciding stays free of side effects. */
interface RememberScaling extends RememberOperation {
  readonly do: "remember-scaling"
  readonly key: string
  readonly uid: string
  readonly remembered: Remembered
}

export function rememberScaling(built: PlanBuilder, { key, hpa, remembered: before }: Observed, remembered: Remembered): void {
  if (deepEqual(before, remembered)) return
  const last = remembered.recommendations.at(-1)?.replicas
  const operation: RememberScaling = {
    do: "remember-scaling",
    to: `the autoscaler ${key}`,
    reason: `recommended ${last} replicas; later looks weigh it`,
    key,
    uid: hpa.metadata.uid ?? "",
    remembered,
  }
  built.operation(operation)
}

export function rememberScalingIn(memory: ScalingMemory): Executor {
  return remembers<RememberScaling>("remember-scaling", ({ key, uid, remembered }) => memory.remember(key, uid, remembered))
}
