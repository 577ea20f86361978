import { deepEqual, isPodReady, podAvailableAfter } from "@pilothouse/api"
import type { DaemonSetStatus } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { smallestOf } from "@pilothouse/seams"
import { isUpdated } from "./daemon-pod.ts"
import type { Observed } from "./observe.ts"
import { isAvailable, type SyncState } from "./sync-state.ts"

/** Plans to write the status where it differs. A concurrent change of the DaemonSet enqueues the key: then the next reconcile writes it. */
export function reportStatus(built: PlanBuilder, { daemonSet, proposal }: Observed, state: SyncState): PlanBuilder {
  const status = daemonSetStatus(state, proposal.hash === state.hash ? proposal.collisionCount : 0)
  const { currentNumberScheduled, desiredNumberScheduled, numberReady, numberAvailable = 0 } = status
  const summary = `${currentNumberScheduled} of ${desiredNumberScheduled} nodes have a pod, ${numberReady} ready, ${numberAvailable} available`
  if (deepEqual(status, daemonSet.status))
    return built.steps.every(({ operations }) => operations.length === 0) ? built.nothing(summary) : built
  return built.operation({ do: "status", object: daemonSet, status, reason: summary, tolerate: ["Conflict", "NotFound"] })
}

/** A node counts by the oldest of its pods. Numbers that are 0 are left out where the API server leaves them out. */
export function daemonSetStatus(state: SyncState, collisions = 0): DaemonSetStatus {
  const { daemonSet, eligible, onNodes, hash } = state
  const desired = [...eligible].filter(([, { runs }]) => runs).map(([node]) => node)
  const first = desired.flatMap((node) => onNodes.get(node)?.[0] ?? [])
  const available = first.filter((pod) => isAvailable(pod, state)).length
  return {
    ...daemonSet.status,
    currentNumberScheduled: first.length,
    numberMisscheduled: [...eligible].filter(([node, { runs }]) => !runs && onNodes.has(node)).length,
    desiredNumberScheduled: desired.length,
    numberReady: first.filter(isPodReady).length,
    observedGeneration: daemonSet.metadata.generation || undefined,
    updatedNumberScheduled: first.filter((pod) => isUpdated(pod, daemonSet, hash)).length || undefined,
    numberAvailable: available || undefined,
    numberUnavailable: desired.length - available || undefined,
    collisionCount: Math.max(daemonSet.status?.collisionCount ?? 0, collisions) || daemonSet.status?.collisionCount,
  }
}

/** Milliseconds until the next ready pod has been ready for long enough; undefined when none waits for that. */
export function nextAvailability(pods: readonly Pod[], { daemonSet, now }: SyncState): number | undefined {
  const waits = pods.map((pod) => podAvailableAfter(pod, daemonSet.spec?.minReadySeconds ?? 0, now) ?? 0).filter((wait) => wait > 0)
  return waits.length === 0 ? undefined : smallestOf(waits)
}
