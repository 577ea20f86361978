import { deepEqual } from "@pilothouse/api"
import { replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { namespaces, nodes, type Pod, pods, replicationControllers, services } from "@pilothouse/api/core/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { resourceClaims } from "@pilothouse/api/resource/v1"
import { type Change, type Controller, cacheObserver, controller, executor, exponentialLimiter } from "@pilothouse/runtime"
import type { Clock } from "@pilothouse/seams"
import { settle } from "./bind.ts"
import { NodeStates } from "./cache/node-states.ts"
import { observe } from "./cache/observe.ts"
import { placeExecutors } from "./cache/reserved-capacity.ts"
import { decide } from "./decide.ts"
import { ClaimAllocations } from "./devices/claim-allocations.ts"
import { type DeviceState, needsDevices, waitingByResourceClaim } from "./devices/devices-view.ts"
import { claimExecutors } from "./devices/reserve-claims.ts"
import { SelectorLibrary } from "./devices/selector-library.ts"
import { isWaiting, type SchedulerNames, waitingByClaim } from "./pod/waiting-pods.ts"
import { defaultProfile, defaultSchedulerName, type SchedulerProfile } from "./profiles/profile.ts"
import { Attempts, type NoteRefusal } from "./queue/attempts.ts"
import { FreedCapacity } from "./queue/freed-capacity.ts"
import { queueingHints } from "./queue/queueing-hints.ts"
import { attachmentsByNode } from "./volumes/csi-volumes.ts"
import { capacitiesByClass, unclaimedByClass, volumesByClaim } from "./volumes/volumes.ts"

/** The clock that waits for what is loaded: without it a virtual one would go on. */
export interface SchedulerOptions {
  readonly clock?: Clock
  /** Each for the pods that name its scheduler; upstream's default profile alone where they are left out. */
  readonly profiles?: readonly SchedulerProfile[]
}

/**
 * Binds every pod without a node to the best node that fits: pods of higher priority first, which may preempt others.
 * One pod at a time: each decision sees the one before it. A pod that every node refuses gets the reasons, and waits for a change that may help.
 * What is where is kept in step with the caches (NodeStates), so that a decision costs a walk over the nodes and not over all pods.
 */
export function scheduler({ clock, profiles: given = [defaultProfile] }: SchedulerOptions = {}): Controller {
  const profiles = new Map(given.map((profile) => [profile.schedulerName, profile]))
  const names: SchedulerNames = new Set(profiles.keys())
  const attempts = new Attempts(names)
  const freed = new FreedCapacity(attempts)
  const states = new NodeStates(() => freed.notify(), names)
  const devices: DeviceState = { allocations: new ClaimAllocations(), library: new SelectorLibrary(clock) }
  const state = { nodes: states, attempts, devices, profiles }
  return controller(defaultSchedulerName, {
    for: pods,
    fieldManager: "kube-scheduler",
    predicate: (change) => concernsScheduling(change as Change<Pod>, names),
    watches: queueingHints(attempts),
    reads: [namespaces, services, replicationControllers, replicaSets, statefulSets, podDisruptionBudgets],
    indexes: [waitingByClaim, waitingByResourceClaim, unclaimedByClass, capacitiesByClass, volumesByClaim, attachmentsByNode],
    cacheObservers: [
      cacheObserver(nodes, { restart: () => states.restart(), changed: (change) => states.nodeChanged(change) }),
      cacheObserver(pods, { restart: () => states.restart(), changed: (change) => states.podChanged(change) }),
      cacheObserver(resourceClaims, {
        restart: () => devices.allocations.restart(),
        changed: (change) => devices.allocations.changed(change),
      }),
      cacheObserver(pods, { restart: () => attempts.restart(), changed: (change) => attempts.podChanged(change) }),
    ],
    sources: [freed],
    priority: (key, read) => read.get(pods, key)?.spec?.priority ?? 0,
    maxConcurrentReconciles: 1,
    backoff: () => exponentialLimiter({ base: 1000, max: 10_000 }),
    executors: [
      ...placeExecutors(states, attempts),
      ...claimExecutors(devices.allocations),
      executor<NoteRefusal>("note-refusal", async (operation) => attempts.note(operation)),
    ],
    observe(key, read) {
      const now = () => observe(key, read, state)
      const pod = devices.library.isLoaded ? undefined : read.get(pods, key)
      return pod?.spec?.resourceClaims !== undefined && needsDevices(pod, read) ? devices.library.load().then(now) : now()
    },
    decide,
    settle,
  })
}

/** A pod is enqueued when it begins to wait, and when anything but its status changes while it does; of its status the names of its ResourceClaims count. */
function concernsScheduling(change: Change<Pod>, schedulers: SchedulerNames): boolean {
  if (!isWaiting(change.object, schedulers)) return false
  if (change.type !== "updated") return change.type === "added"
  const { old, object } = change
  return (
    !isWaiting(old, schedulers) ||
    !deepEqual(old.spec, object.spec) ||
    !deepEqual(old.metadata.labels, object.metadata.labels) ||
    !deepEqual(old.status?.resourceClaimStatuses, object.status?.resourceClaimStatuses)
  )
}
