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

/** What is remembered of one autoscaler. A restart loses it: the next reconcile then begins with the present size, so nothing shrinks too early. */
export interface ScalingHistory {
  readonly recommendations: readonly Recommendation[]
  readonly added: readonly Rescale[]
  readonly removed: readonly Rescale[]
}

/** Invariant: each entry belongs to an autoscaler that exists. */
export class ScalingHistoryStore {
  readonly #of = new Map<string, ScalingHistory & { readonly uid: string }>()

  /** Undefined for an autoscaler that was never reconciled, also where an older one had its name. */
  recall(key: string, uid: string): ScalingHistory | undefined {
    const known = this.#of.get(key)
    return known?.uid === uid ? known : undefined
  }

  remember(key: string, uid: string, history: ScalingHistory): void {
    this.#of.set(key, { ...history, uid })
  }

  forget(key: string): void {
    this.#of.delete(key)
  }

  restart(): void {
    this.#of.clear()
  }
}

/** What later reconciles need for windows and policies is part of the plan: deciding stays free of side effects. */
interface RememberScaling extends RememberOperation {
  readonly do: "remember-scaling"
  readonly key: string
  readonly uid: string
  readonly history: ScalingHistory
}

/** Adds to a plan that the history of recommendations and scalings changes; nothing where it does not. */
export function rememberScaling(built: PlanBuilder, { key, hpa, history: before }: Observed, history: ScalingHistory): void {
  if (deepEqual(before, history)) return
  const last = history.recommendations.at(-1)?.replicas
  const operation: RememberScaling = {
    do: "remember-scaling",
    to: `the autoscaler ${key}`,
    reason: `recommended ${last} replicas; later reconciles take it into account`,
    key,
    uid: hpa.metadata.uid ?? "",
    history,
  }
  built.operation(operation)
}

export function scalingExecutor(memory: ScalingHistoryStore): Executor {
  return remembers<RememberScaling>("remember-scaling", ({ key, uid, history }) => memory.remember(key, uid, history))
}
