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

/** Why the number of pods could not be corrected. */
export interface Failure {
  readonly reason: "FailedCreate" | "FailedDelete"
  readonly message: string
}

/** Plans a status write when the status differs. A conflict is tolerated: the next reconcile writes it. */
export function reportStatus(built: PlanBuilder, observed: Observed, now: number, failure?: Failure): PlanBuilder {
  const { owner } = observed
  const status = replicaStatus(observed, now, failure)
  const summary = `${status.replicas} pods, ${status.readyReplicas ?? 0} ready, ${status.availableReplicas ?? 0} available`
  if (deepEqual(status, owner.status)) return built.steps.length === 0 ? built.nothing(summary) : built
  return built.operation({ do: "status", object: owner, status, reason: failure?.message ?? summary, tolerate: ["Conflict", "NotFound"] })
}

/** Omits zeros as the API server does; otherwise the stored status would never equal the computed one. */
export function replicaStatus({ owner, kind, active, terminating }: Observed, now: number, failure?: Failure): ReplicaSetStatus {
  const templateLabels = selectorFromLabels(owner.spec?.template?.metadata?.labels)
  const ready = active.filter(isPodReady)
  const available = ready.filter((pod) => isPodAvailable(pod, minReadySeconds(owner), now))
  const conditions = replicaConditions(owner.status?.conditions ?? [], now, failure)
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

/** A persisting failure keeps its first message: a new message with every attempt would cause endless status writes. */
function replicaConditions(conditions: readonly ReplicaSetCondition[], now: number, failure?: Failure): readonly ReplicaSetCondition[] {
  if (failure === undefined) return removeCondition(conditions, failureType)
  if (findCondition(conditions, failureType) !== undefined) return conditions
  return [...conditions, { type: failureType, status: "True", lastTransitionTime: formatTime(now), ...failure }]
}

/** Returns the milliseconds until the next ready pod becomes available; undefined when none is pending. */
export function nextAvailability({ owner, active }: Observed, now: number): number | undefined {
  const seconds = minReadySeconds(owner)
  if (seconds <= 0) return undefined
  const ready = active.filter(isPodReady)
  if (ready.every((pod) => isPodAvailable(pod, seconds, now))) return undefined
  const waits = ready.map((pod) => timeUntilAvailable(pod, seconds, now)).filter((wait) => wait > 0)
  return Math.min(seconds * 1000, ...waits)
}

function timeUntilAvailable(pod: Pod, seconds: number, now: number): number {
  return podAvailableAfter(pod, seconds, now) ?? 0
}
