import { deepEqual, findCondition } from "@pilothouse/api"
import type { Deployment, DeploymentStatus } from "@pilothouse/api/apps/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { annotationsOf, revisionAnnotation } from "./annotations.ts"
import { type Conditions, noteFound, notePause } from "./conditions.ts"
import { type Course, courseOf, mayCleanUp, moveOf } from "./course.ts"
import { type Edit, type Move, writeEdits } from "./edit.ts"
import { wantedReplicas } from "./fenceposts.ts"
import { outdated, followDeployment, rollback } from "./revision.ts"
import { newReplicaSet } from "./new-replica-set.ts"
import type { Observed } from "./observe.ts"
import { isComplete, untilDeadline } from "./progress.ts"
import { allOf, type ReplicaSets, splitReplicaSets, totalSize } from "./replica-sets.ts"
import { summaryOf, writeStatus, plainStatus, rolloutStatus } from "./status.ts"

/** One move per look: claim ReplicaSets, make the new one, roll back, or change sizes; and with it whatever of the status is not true. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { deployment, claims } = observed
  if (deepEqual(deployment.spec?.selector, {})) return refuseSelector(deployment)
  if (claims.length > 0) return claimFirst(observed)
  const sets = splitReplicaSets(deployment, observed.replicaSets)
  const course = courseOf(deployment, sets)
  const move = moveOf(course, observed, sets)
  if (move.create !== undefined) return createReplicaSet(deployment, sets, move.create)
  const follow = followDeployment(deployment, sets)
  if (course === "rollback") return rollBack(deployment, sets, follow)
  return moveAndReport({ course, deployment, sets, move, follow }, now)
}

interface Look {
  readonly course: Course
  readonly deployment: Deployment
  readonly sets: ReplicaSets
  readonly move: Move
  /** What the current ReplicaSet lacks to follow its Deployment. */
  readonly follow?: Edit
}

function moveAndReport(look: Look, now: number): Plan {
  const { course, deployment, sets, move, follow } = look
  const statusOf = course === "rollout" ? rolloutStatus : plainStatus
  const status = statusOf(deployment, sets, noted(look, now), now)
  const built = plan()
  writeEdits(built, follow === undefined ? move.edits : [follow, ...move.edits])
  if (mayCleanUp(course, deployment, status)) cleanUp(built, deployment, sets)
  // While the ReplicaSet still has to get its revision there is none to copy.
  const revision = sets.current && follow === undefined ? annotationsOf(sets.current)[revisionAnnotation] : undefined
  const wrote = writeStatus(built, deployment, status, revision)
  if (course === "rollout" && !wrote) watchDeadline(built, look, status, now)
  return explain(built, look, status)
}

function noted({ deployment, sets, follow }: Look, now: number): Conditions {
  const conditions = notePause(deployment, now)
  const name = follow === undefined ? sets.current?.metadata.name : undefined
  return name === undefined ? conditions : noteFound(deployment, conditions, name, now)
}

/** A second later than the deadline: the times in conditions have no parts of a second. */
function watchDeadline(built: PlanBuilder, look: Look, status: DeploymentStatus, now: number): void {
  const left = untilDeadline(look.deployment, status, now)
  const reason = isOnlyShrinking(look, status) ? "they should be gone by then" : "without progress until then the rollout has failed"
  if (left !== undefined) built.requeueAfter(left + 1000, reason)
}

function explain(built: PlanBuilder, look: Look, status: DeploymentStatus): Plan {
  const { course, deployment, move } = look
  const isWaiting = course === "rollout" && move.edits.length === 0 && !isComplete(deployment, status)
  if (isWaiting) built.waitFor(failureIn(status) ?? move.waitFor ?? (isOnlyShrinking(look, status) ? surplus : "pods to become available"))
  if (course === "paused") built.waitFor("somebody to resume it: it is paused, and a change of its template is not rolled out before")
  return built.steps.length === 0 ? built.nothing(summaryOf(deployment, status)) : built
}

const surplus = "the pods that are too many to go"

/** Of a Deployment that was scaled down, to 0 perhaps: no ReplicaSet is to have more, and as many as are wanted are available. */
function isOnlyShrinking({ deployment, sets }: Look, { replicas = 0, availableReplicas = 0 }: DeploymentStatus): boolean {
  const wanted = wantedReplicas(deployment)
  return totalSize(allOf(sets)) <= wanted && availableReplicas >= wanted && replicas > wanted
}

/** A quota that is used up, say: no pod becomes available before that is mended. */
function failureIn({ conditions }: DeploymentStatus): string | undefined {
  const failure = findCondition(conditions, "ReplicaFailure")
  return failure?.status === "True" ? `its ReplicaSet to be let do its work: ${failure.message}` : undefined
}

function refuseSelector(deployment: Deployment): Plan {
  const message = "This deployment is selecting all pods. A non-empty selector is required."
  const built = plan().event(deployment, "Warning", "SelectingAll", message).nothing(message, { stuck: true })
  const { generation = 0 } = deployment.metadata
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return built
  return built.status(deployment, { ...deployment.status, observedGeneration: generation }, message)
}

/** What is claimed changes under our hands: the rest waits until the cache shows it. */
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
function rollBack(deployment: Deployment, sets: ReplicaSets, follow: Edit | undefined): Plan {
  const built = plan()
  if (follow !== undefined) writeEdits(built, [follow])
  else {
    const { deployment: next, event } = rollback(deployment, sets)!
    built.update(next, event.message).event(deployment, event.type, event.reason, event.message)
  }
  return built
}

function cleanUp(built: PlanBuilder, deployment: Deployment, { old }: ReplicaSets): void {
  const reason = `of ${old.length} old ReplicaSets ${deployment.spec?.revisionHistoryLimit} are kept`
  for (const set of outdated(deployment, old)) built.delete(set, reason)
}
