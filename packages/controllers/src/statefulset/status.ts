import { deepEqual, podAvailableAfter } from "@pilothouse/api"
import type { StatefulSet, StatefulSetStatus } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { desiredReplicas } from "./ordinals.ts"
import { isAvailable, isRunningAndReady, isTerminating, podRevision } from "./pod-state.ts"
import type { Versions } from "./revisions.ts"

/** Plans a status write when the status differs. A conflict is tolerated: the change has enqueued the set again. */
export function reportStatus(built: PlanBuilder, { set }: Observed, status: StatefulSetStatus): PlanBuilder {
  const summary = `${status.replicas} pods, ${status.readyReplicas ?? 0} ready, ${status.updatedReplicas ?? 0} of the present template`
  if (deepEqual(status, set.status)) return built.steps.every(({ operations }) => operations.length === 0) ? built.nothing(summary) : built
  return built.operation({ do: "status", object: set, status, reason: summary, tolerate: ["Conflict", "NotFound"] })
}

/** Omits zeros where the API server omits them. */
export function nextStatus({ set, pods, proposal }: Observed, { current, update }: Versions, now: number): StatefulSetStatus {
  const ready = pods.filter(isRunningAndReady)
  const staying = pods.filter((pod) => !isTerminating(pod))
  const of = (revision: string) => staying.filter((pod) => podRevision(pod) === revision).length || undefined
  const counted: StatefulSetStatus = {
    ...set.status,
    observedGeneration: set.metadata.generation || undefined,
    replicas: pods.length,
    readyReplicas: ready.length || undefined,
    availableReplicas: ready.filter((pod) => isAvailable(pod, set, now)).length,
    currentReplicas: of(current.revision),
    updatedReplicas: of(update.revision),
    currentRevision: current.revision,
    updateRevision: update.revision,
    collisionCount: Math.max(set.status?.collisionCount ?? 0, proposal.name === update.revision ? proposal.collisionCount : 0),
  }
  return isComplete(set, counted) ? { ...counted, currentReplicas: counted.updatedReplicas, currentRevision: update.revision } : counted
}

/** Reports whether all pods have the new revision, which then becomes the current one. */
function isComplete(set: StatefulSet, { replicas, readyReplicas = 0, updatedReplicas = 0 }: StatefulSetStatus): boolean {
  const wanted = desiredReplicas(set)
  const isRolling = set.spec?.updateStrategy?.type === "RollingUpdate"
  return isRolling && replicas === wanted && readyReplicas === wanted && updatedReplicas === wanted
}

/** Reports whether the status names the same revisions as before; the current revision is stored nowhere else. */
export function hasSameRevisions(status: StatefulSetStatus, { status: before }: StatefulSet): boolean {
  return (
    status.currentRevision === before?.currentRevision &&
    status.updateRevision === before?.updateRevision &&
    status.collisionCount === before?.collisionCount
  )
}

/** Returns the milliseconds until the next ready pod becomes available; undefined when none is pending. */
export function nextAvailability(pods: readonly Pod[], set: StatefulSet, now: number): number | undefined {
  const waits = pods.map((pod) => podAvailableAfter(pod, set.spec?.minReadySeconds ?? 0, now) ?? 0).filter((wait) => wait > 0)
  return waits.length === 0 ? undefined : waits.reduce((min, wait) => Math.min(min, wait))
}
