import { deepEqual, findCondition } from "@pilothouse/api"
import type { Deployment, DeploymentStatus } from "@pilothouse/api/apps/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { objectAnnotations, revisionAnnotation, rollbackRevision } from "./annotations.ts"
import { type Conditions, withFoundCondition, withPauseCondition } from "./conditions.ts"
import { type Edit, type Move, writeEdits } from "./edit.ts"
import { desiredReplicas, isRecreate } from "./fenceposts.ts"
import { newReplicaSet, newReplicaSetSize } from "./new-replica-set.ts"
import type { Observed } from "./observe.ts"
import { isComplete, untilDeadline } from "./progress.ts"
import { activeReplicaSets, allReplicaSets, type ReplicaSets, splitReplicaSets, totalSpecReplicas } from "./replica-sets.ts"
import { alignWithDeployment, replicaSetsBeyondLimit, rollback } from "./revision.ts"
import { areOldPodsRunning, oldPodsToGo, recreate, rollingUpdate } from "./rolling-update.ts"
import { isScalingEvent, scale } from "./scale.ts"
import { plainStatus, rolloutStatus, statusSummary, writeStatus } from "./status.ts"

/** Plans one move per reconcile (upstream's syncDeployment): claim ReplicaSets, create the new one, roll back, or change sizes; and with it a status that differs. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { deployment, claims } = observed
  if (deepEqual(deployment.spec?.selector, {})) return refuseSelector(deployment)
  if (claims.length > 0) return claimFirst(observed)
  const sets = splitReplicaSets(deployment, observed.replicaSets)
  const mode = syncMode(deployment, sets)
  const move = nextMove(mode, observed, sets)
  if (move.create !== undefined) return createReplicaSet(deployment, sets, move.create)
  const alignment = alignWithDeployment(deployment, sets)
  if (mode === "rollback") return rollBack(deployment, sets, alignment)
  return moveAndReport({ mode, deployment, sets, move, alignment }, now)
}

interface Sync {
  readonly mode: SyncMode
  readonly deployment: Deployment
  readonly sets: ReplicaSets
  readonly move: Move
  /** What the current ReplicaSet lacks to follow its Deployment. */
  readonly alignment?: Edit
}

function moveAndReport(sync: Sync, now: number): Plan {
  const { mode, deployment, sets, move, alignment } = sync
  const computeStatus = mode === "rollout" ? rolloutStatus : plainStatus
  const status = computeStatus(deployment, sets, currentConditions(sync, now), now)
  const built = plan()
  writeEdits(built, alignment === undefined ? move.edits : [alignment, ...move.edits])
  if (mayCleanUp(mode, deployment, status)) cleanUp(built, deployment, sets)
  // While the ReplicaSet still has to get its revision there is none to copy.
  const revision = sets.current && alignment === undefined ? objectAnnotations(sets.current)[revisionAnnotation] : undefined
  const wrote = writeStatus(built, deployment, status, revision)
  if (mode === "rollout" && !wrote) watchDeadline(built, sync, status, now)
  return explain(built, sync, status)
}

function currentConditions({ deployment, sets, alignment }: Sync, now: number): Conditions {
  const conditions = withPauseCondition(deployment, now)
  const name = alignment === undefined ? sets.current?.metadata.name : undefined
  return name === undefined ? conditions : withFoundCondition(deployment, conditions, name, now)
}

/** A second later than the deadline: the times in conditions have no parts of a second. */
function watchDeadline(built: PlanBuilder, sync: Sync, status: DeploymentStatus, now: number): void {
  const remaining = untilDeadline(sync.deployment, status, now)
  const reason = isOnlyShrinking(sync, status) ? "they should be gone by then" : "without progress until then the rollout has failed"
  if (remaining !== undefined) built.requeueAfter(remaining + 1000, reason)
}

function explain(built: PlanBuilder, sync: Sync, status: DeploymentStatus): Plan {
  const { mode, deployment, move } = sync
  const isWaiting = mode === "rollout" && move.edits.length === 0 && !isComplete(deployment, status)
  if (isWaiting) built.waitFor(failureIn(status) ?? move.waitFor ?? (isOnlyShrinking(sync, status) ? surplus : "pods to become available"))
  if (mode === "paused") built.waitFor("a user to resume it: it is paused, and a change of its template is not rolled out before")
  return built.steps.length === 0 ? built.nothing(statusSummary(deployment, status)) : built
}

const surplus = "the pods that are too many to go"

/** Of a Deployment that was scaled down, to 0 perhaps: no ReplicaSet is to have more, and as many as are wanted are available. */
function isOnlyShrinking({ deployment, sets }: Sync, { replicas = 0, availableReplicas = 0 }: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment)
  return totalSpecReplicas(allReplicaSets(sets)) <= desired && availableReplicas >= desired && replicas > desired
}

/** For example a used-up quota: no pod becomes available before that is fixed. */
function failureIn({ conditions }: DeploymentStatus): string | undefined {
  const failure = findCondition(conditions, "ReplicaFailure")
  return failure?.status === "True" ? `its ReplicaSet to be allowed its pods: ${failure.message}` : undefined
}

function refuseSelector(deployment: Deployment): Plan {
  const message = "This deployment is selecting all pods. A non-empty selector is required."
  const built = plan().event(deployment, "Warning", "SelectingAll", message).nothing(message, { stuck: true })
  const { generation = 0 } = deployment.metadata
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return built
  return built.status(deployment, { ...deployment.status, observedGeneration: generation }, message)
}

/** A claim changes the ReplicaSets: the rest waits until the cache shows it. */
function claimFirst({ claims }: Observed): Plan {
  const built = plan().waitFor("the ReplicaSets that are adopted or released")
  for (const operation of claims) built.operation(operation)
  return built
}

function createReplicaSet(deployment: Deployment, sets: ReplicaSets, replicas: number): Plan {
  const reason = `no ReplicaSet has the template of generation ${deployment.metadata.generation}; it may start with ${replicas} pods`
  return plan().create(newReplicaSet(deployment, sets, replicas), reason)
}

/** The revisions have to be right before one of them can be gone back to. */
function rollBack(deployment: Deployment, sets: ReplicaSets, alignment: Edit | undefined): Plan {
  const built = plan()
  if (alignment !== undefined) writeEdits(built, [alignment])
  else {
    const { deployment: next, event } = rollback(deployment, sets)!
    built.update(next, event.message).event(deployment, event.type, event.reason, event.message)
  }
  return built
}

function cleanUp(built: PlanBuilder, deployment: Deployment, { old }: ReplicaSets): void {
  const reason = `of ${old.length} old ReplicaSets ${deployment.spec?.revisionHistoryLimit} are kept`
  for (const set of replicaSetsBeyondLimit(deployment, old)) built.delete(set, reason)
}

/** What a reconcile of a Deployment does. */
type SyncMode = "deleted" | "paused" | "rollback" | "scaling" | "rollout"

function syncMode(deployment: Deployment, sets: ReplicaSets): SyncMode {
  if (deployment.metadata.deletionTimestamp !== undefined) return "deleted"
  if (deployment.spec?.paused === true) return "paused"
  if (rollbackRevision(deployment) !== undefined) return "rollback"
  return isScalingEvent(deployment, sets) ? "scaling" : "rollout"
}

/** A pause between the old pods and the new ones of Recreate: scaling would bring the new ones too early. */
function mustWait({ deployment, pods }: Pick<Observed, "deployment" | "pods">, sets: ReplicaSets): boolean {
  return isRecreate(deployment) && activeReplicaSets(allReplicaSets(sets)).length === 0 && areOldPodsRunning(sets, pods)
}

/** Returns the changes of ReplicaSets in a mode, and what has to happen before. */
function nextMove(mode: SyncMode, { deployment, pods }: Observed, sets: ReplicaSets): Move {
  switch (mode) {
    case "deleted":
      return { edits: [] }
    case "paused":
    case "scaling":
      return mustWait({ deployment, pods }, sets) ? { edits: [], waitFor: oldPodsToGo } : { edits: scale(deployment, sets) }
    case "rollback":
      // Without a ReplicaSet of its own the present template would have no revision, and "the one before" would be another one.
      return { edits: [], ...(sets.current === undefined && { create: newReplicaSetSize(deployment, sets) }) }
    case "rollout":
      return isRecreate(deployment) ? recreate(deployment, sets, pods) : rollingUpdate(deployment, sets)
  }
}

/** Old ReplicaSets are cleared away when nothing moves: a rollout under way may be rolled back to any of them. */
function mayCleanUp(mode: SyncMode, deployment: Deployment, status: DeploymentStatus): boolean {
  if (mode === "paused") return rollbackRevision(deployment) === undefined
  return mode === "rollout" && isComplete(deployment, status)
}
