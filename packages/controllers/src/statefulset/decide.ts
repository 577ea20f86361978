import { scaledIntOrPercent } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type KubeOperation, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { desiredReplicas, endOrdinal, firstOrdinal, inRange, isOrdered, maxCreates, ordinalIn, podOrdinal } from "./ordinals.ts"
import { isTerminating, podRevision } from "./pod-state.ts"
import { cleanUpHistory, keepHistory, setVersions } from "./revisions.ts"
import { fillReplicas, scaleDown } from "./scale.ts"
import { hasSameRevisions, nextAvailability, nextStatus, reportStatus } from "./status.ts"
import { isUnavailable, type SyncContext, syncContext } from "./sync-context.ts"
import { mergeWork, noWork, type Work, waiting } from "./work.ts"

/** Plans ownership, history, claims, pods, old history and status, in this order, because each depends on the one before it: upstream's UpdateStatefulSet. */
export function decide(observed: Observed, { now }: Pick<DecideContext, "now">): Plan {
  const { set, ownership, pods } = observed
  const built = plan()
  const versions = setVersions(observed)
  const wait = nextAvailability(pods, set, now)
  if (wait !== undefined) built.requeueAfter(wait, "a ready pod becomes available then")
  if (set.metadata.deletionTimestamp !== undefined) return onlyCount(built, observed, now)
  for (const operation of ownership) built.operation(operation)
  if (ownership.length > 0) built.nextStep()
  keepHistory(built, observed)
  const work = nextWork(syncContext(observed, now))
  addOperations(built, observed, work)
  built.nextStep({ onFailure: "continue" })
  cleanUpHistory(built, observed, versions)
  if (defersStatus(observed, work, now)) return built
  return reportStatus(built.nextStep({ onFailure: "continue" }), observed, nextStatus(observed, versions, now))
}

/** A terminating set creates nothing, not even a revision: the revision names in the status stay. */
function onlyCount(built: PlanBuilder, observed: Observed, now: number): Plan {
  const { currentRevision, updateRevision } = observed.set.status ?? {}
  return reportStatus(built, observed, { ...nextStatus(observed, setVersions(observed), now), currentRevision, updateRevision })
}

/** Ordinals are filled before surplus pods are deleted, and those before outdated pods are replaced. */
function nextWork(context: SyncContext): Work {
  const filled = fillReplicas(context)
  if (filled.waitFor !== undefined) return filled
  const scaled = scaleDown(context)
  if (context.ordered && scaled.waitFor !== undefined) return mergeWork([filled, scaled])
  const rolled = rollOut(context, podsBeingDeleted(filled))
  // While an ordinal cannot be filled no outdated pod is deleted; created pods enqueue the set again.
  return mergeWork([filled, scaled, filled.pods.some(isMade) ? { ...rolled, pods: [] } : rolled])
}

function podsBeingDeleted({ pods }: Work): ReadonlySet<Pod> {
  return new Set(pods.filter((operation) => operation.do === "delete").map(({ object }) => object as Pod))
}

/**
 * Reports whether the status is left to the next reconcile, which created and deleted pods enqueue; not when it records new revisions or ends a full
 * batch.
 */
function defersStatus(observed: Observed, { pods }: Work, now: number): boolean {
  const moves = pods.some((operation) => operation.do !== "update")
  const isBatch =
    !isOrdered(observed.set) &&
    pods.filter(({ do: verb }) => verb === "create").length >= maxCreates(observed.set, inRange(observed.set, observed.pods))
  return moves && !isBatch && hasSameRevisions(nextStatus(observed, setVersions(observed), now), observed.set)
}

/**
 * Ordered: each step depends on all before it. Parallel: a pod depends only on its own claims; pods without pending claims come first, whatever is
 * refused for the others. A refused claim is retried, and then the pods whose claims exist are among the first.
 */
function addOperations(built: PlanBuilder, { set }: Observed, { claims, pods, waitFor, events }: Work = noWork): void {
  const waiting = new Set(claims.map(({ object }) => ordinalIn(object.metadata.name ?? "")))
  const isFree = ({ object }: KubeOperation) => !isOrdered(set) && !waiting.has(podOrdinal(object as Pod))
  for (const part of [pods.filter(isMade), pods.filter(isGone)]) {
    const free = part.filter(isFree)
    if (free.length > 0) addWithSlowStart(built, free).nextStep({ onFailure: "continue" })
  }
  addWithSlowStart(built, claims)
  for (const part of [pods.filter(isMade), pods.filter(isGone)]) {
    addWithSlowStart(
      built,
      part.filter((operation) => !isFree(operation)),
    )
  }
  for (const { reason, message } of events) built.event(set, "Warning", reason, message)
  if (waitFor !== undefined) built.waitFor(waitFor)
}

function isMade(operation: KubeOperation): boolean {
  return operation.do !== "delete"
}

function isGone(operation: KubeOperation): boolean {
  return operation.do === "delete"
}

function addWithSlowStart(built: PlanBuilder, operations: readonly KubeOperation[]): PlanBuilder {
  built.slowStart()
  for (const operation of operations) built.operation(operation)
  return built
}

/** Deletes pods of older revisions from the highest ordinal down to the partition; they are recreated with the new one. */
function rollOut(context: SyncContext, leaving: ReadonlySet<Pod>): Work {
  const { type = "RollingUpdate", rollingUpdate } = context.set.spec?.updateStrategy ?? {}
  if (type !== "RollingUpdate") return noWork
  const lowest = firstOrdinal(context.set) + (rollingUpdate?.partition ?? 0)
  const pods = context.staying.filter((pod) => podOrdinal(pod) >= lowest && !leaving.has(pod)).toReversed()
  // API servers store the field only when the feature is enabled (off in 1.36): without it the older rules apply.
  return rollingUpdate?.maxUnavailable === undefined
    ? oneByOne(pods, lowest, context)
    : several(pods, rollingUpdate.maxUnavailable, context)
}

/** Deletes the next pod when the one before it is available again. */
function oneByOne(pods: readonly Pod[], lowest: number, context: SyncContext): Work {
  let next = endOrdinal(context.set) - 1
  for (const pod of pods) {
    // A gap in the ordinals is a missing pod.
    if (podOrdinal(pod) !== next) break
    if (isOutdated(pod, context)) return { ...noWork, pods: [removal(pod, context)] }
    if (isUnavailable(pod, context)) return waiting(`${pod.metadata.name} to be available`)
    next--
  }
  return next < lowest ? noWork : waiting("pods that are missing")
}

/** Deletes as many pods as may be unavailable at once. A small percentage is rounded up to one pod. */
function several(pods: readonly Pod[], limit: number | string, context: SyncContext): Work {
  const allowed = Math.max(1, scaledIntOrPercent(limit, desiredReplicas(context.set), "down"))
  const available = context.staying.filter((pod) => !isUnavailable(pod, context)).length
  const unavailable = desiredReplicas(context.set) - available
  const room = Math.max(0, allowed - unavailable)
  const outdated = pods.filter((pod) => isOutdated(pod, context))
  if (outdated.length > 0 && room === 0) return waiting(`${unavailable} pods to be available, of which ${allowed} may be missing`)
  return { ...noWork, pods: outdated.slice(0, room).map((pod) => removal(pod, context)) }
}

function isOutdated(pod: Pod, { versions }: SyncContext): boolean {
  return podRevision(pod) !== versions.update.revision && !isTerminating(pod)
}

function removal(pod: Pod, { versions }: SyncContext): Work["pods"][number] {
  return { do: "delete", object: pod, reason: `it is of ${podRevision(pod) || "no revision"}, not of ${versions.update.revision}` }
}
