import { hasCause, isAlreadyExists, isControlledBy } from "@pilothouse/api"
import type { ReplicaSet } from "@pilothouse/api/apps/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { objectAnnotations, revisionAnnotation } from "./annotations.ts"
import { withCreatedCondition, withCreateErrorCondition, withPauseCondition } from "./conditions.ts"
import type { Observed } from "./observe.ts"
import { hasSameTemplate, specReplicas, splitReplicaSets } from "./replica-sets.ts"
import { rolloutStatus, writeStatus } from "./status.ts"

/** Records events about the ReplicaSets; the outcome of a new one is written to the status too. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  for (const result of results) {
    const { operation } = result
    if (operation.do === "create") settleCreation(built, observed, operation.object as ReplicaSet, result, now)
    else if (operation.do === "update" && result.ok === true) recordResized(built, observed, operation.object as ReplicaSet)
  }
  return built
}

function settleCreation(built: PlanBuilder, observed: Observed, planned: ReplicaSet, result: Result, now: number): void {
  if (result.ok === true) reportCreated(built, observed, (result.object ?? planned) as ReplicaSet, now)
  else if (result.ok === false && isAlreadyExists(result.error)) handleNameCollision(built, observed)
  else if (result.ok === false && !hasCause(result.error, "NamespaceTerminating")) {
    reportCreateError(built, observed, `Failed to create new replica set "${planned.metadata.name}": ${messageOf(result.error)}`, now)
  }
}

function reportCreated(built: PlanBuilder, { deployment, replicaSets }: Observed, set: ReplicaSet, now: number): void {
  if (specReplicas(set) > 0) recordScaled(built, deployment, set, 0)
  const conditions = withCreatedCondition(deployment, withPauseCondition(deployment, now), set.metadata.name ?? "", now)
  const sets = { ...splitReplicaSets(deployment, replicaSets), current: set }
  writeStatus(built, deployment, rolloutStatus(deployment, sets, conditions, now), objectAnnotations(set)[revisionAnnotation])
}

/**
 * Another template got the same hash: the count makes another name. Not where it is ours after all, or not in the cache yet:
 * the cache was behind, and the next reconcile finds it.
 */
function handleNameCollision(built: PlanBuilder, { deployment, namesake }: Observed): void {
  if (namesake === undefined || (isControlledBy(namesake, deployment) && hasSameTemplate(namesake, deployment))) return
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
  built.status(deployment, { ...deployment.status, collisionCount }, `the name ${namesake.metadata.name} is taken by another ReplicaSet`)
}

function reportCreateError(built: PlanBuilder, { deployment }: Observed, message: string, now: number): void {
  built.event(deployment, "Warning", "ReplicaSetCreateError", message)
  const conditions = withCreateErrorCondition(deployment, withPauseCondition(deployment, now), message, now)
  if (conditions.length > 0) writeStatus(built, deployment, { ...deployment.status, conditions }, undefined)
}

/** An update of the Deployment itself, or of annotations only, records no event. */
function recordResized(built: PlanBuilder, { deployment, replicaSets }: Observed, updated: ReplicaSet): void {
  const before = replicaSets.find((set) => set.metadata.uid === updated.metadata.uid)
  if (before !== undefined && specReplicas(before) !== specReplicas(updated)) recordScaled(built, deployment, updated, specReplicas(before))
}

function recordScaled(built: PlanBuilder, deployment: Observed["deployment"], set: ReplicaSet, from: number): void {
  const direction = specReplicas(set) > from ? "up" : "down"
  built.event(
    deployment,
    "Normal",
    "ScalingReplicaSet",
    `Scaled ${direction} replica set ${set.metadata.name} from ${from} to ${specReplicas(set)}`,
  )
}
