import { deepEqual } from "@pilothouse/api"
import { type Executor, type PlanBuilder, type RememberOperation, remembers } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"

/** How many replicas the metrics asked for at some time, before anything held them back. */
export interface Recommendation {
  readonly replicas: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** How many replicas were added, or taken away, at some time. */
export interface Rescale {
  readonly change: number
  readonly at: number
}

/** What is remembered of one autoscaler. A restart loses it: the next look then begins with the present size, so nothing shrinks too early. */
export interface Remembered {
  readonly recommendations: readonly Recommendation[]
  readonly added: readonly Rescale[]
  readonly removed: readonly Rescale[]
}

/** Always true between calls: what stands here belongs to an autoscaler that is not gone. */
export class ScalingMemory {
  readonly #of = new Map<string, Remembered & { readonly uid: string }>()

  /** Undefined for an autoscaler that was never looked at, also where an older one had its name. */
  recall(key: string, uid: string): Remembered | undefined {
    const known = this.#of.get(key)
    return known?.uid === uid ? known : undefined
  }

  remember(key: string, uid: string, remembered: Remembered): void {
    this.#of.set(key, { ...remembered, uid })
  }

  forget(key: string): void {
    this.#of.delete(key)
  }

  restart(): void {
    this.#of.clear()
  }
}


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
