import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type KubeOperation, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import { inRange, isOrdered, mostCreates, ordinalIn, ordinalOf } from "./ordinals.ts"
import { cleanUpHistory, keepHistory, versionsOf } from "./revisions.ts"
import { rollOut } from "./rolling.ts"
import { fill, scaleDown } from "./scale.ts"
import { nextAvailability, reportStatus, statusOf, tellsSameRevisions } from "./status.ts"
import { type Situation, situationOf } from "./sync-context.ts"
import { noWork, together, type Work } from "./work.ts"

/** Ownership, history, claims, pods, old history, status: in this order, as each counts on the one before it. */
export function decide(observed: Observed, { now }: Pick<DecideContext, "now">): Plan {
  const { set, ownership, pods } = observed
  const built = plan()
  const versions = versionsOf(observed)
  const wait = nextAvailability(pods, set, now)
  if (wait !== undefined) built.requeueAfter(wait, "a ready pod becomes available then")
  if (set.metadata.deletionTimestamp !== undefined) return onlyCount(built, observed, now)
  for (const operation of ownership) built.operation(operation)
  if (ownership.length > 0) built.nextStep()
  keepHistory(built, observed)
  const work = workOf(situationOf(observed, now))
  apply(built, observed, work)
  built.nextStep({ onFailure: "continue" })
  cleanUpHistory(built, observed, versions)
  if (leavesStatus(observed, work, now)) return built
  return reportStatus(built.nextStep({ onFailure: "continue" }), observed, statusOf(observed, versions, now))
}

/** What is being deleted makes nothing any more, no revision either: the names in the status stay as they are. */
function onlyCount(built: PlanBuilder, observed: Observed, now: number): Plan {
  const { currentRevision, updateRevision } = observed.set.status ?? {}
  return reportStatus(built, observed, { ...statusOf(observed, versionsOf(observed), now), currentRevision, updateRevision })
}

/** Places are filled before pods go, and pods go before others are replaced. */
function workOf(situation: Situation): Work {
  const filled = fill(situation)
  if (filled.waitFor !== undefined) return filled
  const scaled = scaleDown(situation)
  if (situation.ordered && scaled.waitFor !== undefined) return together([filled, scaled])
  const rolled = rollOut(situation, leavingIn(filled))
  // Where a place cannot be filled no pod is given up for a newer one; those that come bring the next look.
  return together([filled, scaled, filled.pods.some(isMade) ? { ...rolled, pods: [] } : rolled])
}

function leavingIn({ pods }: Work): ReadonlySet<Pod> {
  return new Set(pods.filter((operation) => operation.do === "delete").map(({ object }) => object as Pod))
}

/** Pods that come or go wake us at once: the status that is true then is the one to write, unless it is what remembers the revisions, or one reconcile of many. */
function leavesStatus(observed: Observed, { pods }: Work, now: number): boolean {
  const moves = pods.some((operation) => operation.do !== "update")
  const isBatch =
    !isOrdered(observed.set) &&
    pods.filter(({ do: verb }) => verb === "create").length >= mostCreates(observed.set, inRange(observed.set, observed.pods))
  return moves && !isBatch && tellsSameRevisions(statusOf(observed, versionsOf(observed), now), observed.set)
}

/**
 * In order each step counts on all before it. All at once a pod counts on its own claims only: those that wait for none go first, whatever is
 * refused to the others. A refused claim brings the next look, and the pods whose claims were made are among the first then.
 */
function apply(built: PlanBuilder, { set }: Observed, { claims, pods, waitFor, events }: Work = noWork): void {
  const waiting = new Set(claims.map(({ object }) => ordinalIn(object.metadata.name ?? "")))
  const isFree = ({ object }: KubeOperation) => !isOrdered(set) && !waiting.has(ordinalOf(object as Pod))
  for (const part of [pods.filter(isMade), pods.filter(isGone)]) {
    const free = part.filter(isFree)
    if (free.length > 0) slowly(built, free).nextStep({ onFailure: "continue" })
  }
  slowly(built, claims)
  for (const part of [pods.filter(isMade), pods.filter(isGone)]) {
    slowly(
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

function slowly(built: PlanBuilder, operations: readonly KubeOperation[]): PlanBuilder {
  built.slowStart()
  for (const operation of operations) built.operation(operation)
  return built
}
