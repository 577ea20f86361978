import {
  deepEqual,
  findCondition,
  formatTime,
  isPodAvailable,
  isPodReady,
  matchesLabels,
  podAvailableAfter,
  removeCondition,
  selectorFromLabels,
} from "@pilothouse/api"
import type { ReplicaSetCondition, ReplicaSetStatus } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { minReadySeconds } from "./replica-kind.ts"

const failureType = "ReplicaFailure"

/** Why the number of pods could not be made right. */
export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete"
  readonly message: string
}

/** Plans to write the status where it is not true. Whoever was quicker is no failure: the next look writes it. */
export function reportStatus(built: PlanBuilder, observed: Observed, now: number, failure?: Failure): PlanBuilder {
  const { owner } = observed
  const status = statusOf(observed, now, failure)
  const summary = `${status.replicas} pods, ${status.readyReplicas ?? 0} ready, ${status.availableReplicas ?? 0} available`
  if (deepEqual(status, owner.status)) return built.steps.length === 0 ? built.nothing(summary) : built
  return built.operation({ do: "status", object: owner, status, reason: failure?.message ?? summary, tolerate: ["Conflict", "NotFound"] })
}

/** Numbers that are 0 are left out, as the API server leaves them out: else what it answers would never equal what we want. */
export function statusOf({ owner, kind, active, terminating }: Observed, now: number, failure?: Failure): ReplicaSetStatus {
  const templateLabels = selectorFromLabels(owner.spec?.template?.metadata?.labels)
  const ready = active.filter(isPodReady)
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds(owner), now))
  const conditions = conditionsOf(owner.status?.conditions ?? [], now, failure)
  return {
    ...owner.status,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesLabels(templateLabels, pod.metadata.labels ?? {})).length || undefined,
    readyReplicas: ready.length || undefined,
    availableReplicas: available.length || undefined,
    terminatingReplicas: kind.countsTerminating ? terminating.length : undefined,
    observedGeneration: owner.metadata.generation || undefined,
    conditions: conditions.length === 0 ? undefined : conditions,
  }
}

/** A failure that goes on keeps its first words: a status that says the same in new words at every try would never rest. */
function conditionsOf(conditions: readonly ReplicaSetCondition[], now: number, failure?: Failure): readonly ReplicaSetCondition[] {
  if (failure === undefined) return removeCondition(conditions, failureType)
  if (findCondition(conditions, failureType) !== undefined) return conditions
  return [...conditions, { type: failureType, status: "True", lastTransitionTime: formatTime(now), ...failure }]
}

/** Milliseconds until the next ready pod has been ready for long enough; undefined when none waits for that. */
export function nextAvailability({ owner, active }: Observed, now: number): number | undefined {
  const seconds = minReadySeconds(owner)
  if (seconds <= 0) return undefined
  const ready = active.filter(isPodReady)
  if (ready.every((pod) => isPodAvailable(pod, seconds, now))) return undefined
  const waits = ready.map((pod) => waitOf(pod, seconds, now)).filter((wait) => wait > 0)
  return Math.min(seconds * 1000, ...waits)
}

function waitOf(pod: Pod, seconds: number, now: number): number {
  return podAvailableAfter(pod, seconds, now) ?? 0
}
