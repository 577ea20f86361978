import { compareInt64, findCondition, isConditionTrue, isControlledBy, type KubeObject } from "@pilothouse/api"
import { type DaemonSet, type Deployment, type ReplicaSet, replicaSets, type StatefulSet } from "@pilothouse/api/apps/v1"
import { type CronJob, type Job, jobs } from "@pilothouse/api/batch/v1"
import type { Pod, ReplicationController } from "@pilothouse/api/core/v1"
import type { ClusterView } from "./cluster-view.ts"
import { commonTrouble } from "./pod-trouble.ts"
import { degraded, healthy, progressing, suspended, type Verdict } from "./verdict.ts"

/** Reports whether its pods are available and current; else whether the rollout goes on, and what most of its pods suffer from. */
export function deploymentVerdict(deployment: Deployment, view: ClusterView): Verdict {
  const { spec, status, metadata } = deployment
  const unseen = notObserved(deployment)
  if (unseen !== undefined) return unseen
  const { availableReplicas: ready = 0, updatedReplicas: updated = 0, replicas = 0 } = status ?? {}
  const desired = spec?.replicas ?? 1
  if (updated >= desired && ready >= desired && replicas <= desired)
    return healthy(desired === 0 ? "scaled to zero" : `available, ${ready} of ${desired} pods ready`)
  if (spec?.paused)
    return suspended(
      `paused, ${updated} of ${desired} pods have the current template`,
      `"kubectl rollout resume deployment/${metadata.name}" lets it go on`,
    )
  const isStuck = isPastDeadline(deployment)
  const refused = conditionMessage(deployment, "ReplicaFailure", "True")
  const found = podsOfDeployment(deployment, view)
  return withCause(`${rolloutState(deployment, isStuck)}, ${ready} of ${desired} pods ready`, { refused, found, view, isStuck })
}

function podsOfDeployment(deployment: Deployment, view: ClusterView): readonly Pod[] {
  const sets = view.list(replicaSets).filter((set) => isControlledBy(set, deployment))
  return sets.flatMap((set) => view.podsOf(set))
}

function isPastDeadline({ status }: Deployment): boolean {
  return findCondition(status?.conditions, "Progressing")?.reason === "ProgressDeadlineExceeded"
}

function rolloutState({ status }: Deployment, isStuck: boolean): string {
  if (isStuck) return "the rollout is stuck"
  return isConditionTrue(status?.conditions, "Available") ? "rolling out" : "not available"
}

/** Reports whether the pods of a kind with replicas are ready; those of a StatefulSet also current. */
export function replicasVerdict(object: ReplicaSet | ReplicationController | StatefulSet, view: ClusterView): Verdict {
  const unseen = notObserved(object)
  if (unseen !== undefined) return unseen
  const { readyReplicas: ready = 0, replicas = 0 } = object.status ?? {}
  const desired = object.spec?.replicas ?? 1
  if (ready >= desired && replicas <= desired && (!isStatefulSet(object) || isUpdated(object, desired)))
    return healthy(desired === 0 ? "scaled to zero" : `${ready} of ${desired} pods ready`)
  const refused = conditionMessage(object, "ReplicaFailure", "True") ?? view.warning(object, "FailedCreate")?.message
  return withCause(`${ready < desired ? "not available" : "rolling out"}, ${ready} of ${desired} pods ready`, {
    refused,
    found: view.podsOf(object),
    view,
  })
}

function isStatefulSet(object: KubeObject): object is StatefulSet {
  return object.kind === "StatefulSet"
}

function isUpdated({ spec, status }: StatefulSet, desired: number): boolean {
  const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0
  const isManual = spec?.updateStrategy?.type === "OnDelete"
  return isManual || status?.updateRevision === status?.currentRevision || (status?.updatedReplicas ?? 0) >= desired - partition
}

/** Reports whether every node that should have a pod has an available and current one. */
export function daemonSetVerdict(set: DaemonSet, view: ClusterView): Verdict {
  const unseen = notObserved(set)
  if (unseen !== undefined) return unseen
  const { desiredNumberScheduled: desired = 0, numberAvailable: ready = 0, updatedNumberScheduled: updated = 0 } = set.status ?? {}
  const isManual = set.spec?.updateStrategy?.type === "OnDelete"
  if (ready >= desired && (isManual || updated >= desired))
    return healthy(desired === 0 ? "no node matches, so that no pods are wanted" : `a pod is ready on ${ready} of ${desired} nodes`)
  const refused = view.warning(set, "FailedCreate")?.message
  return withCause(`${ready < desired ? "not available" : "rolling out"}, ready on ${ready} of ${desired} nodes`, {
    refused,
    found: view.podsOf(set),
    view,
  })
}

/** Completed, failed, suspended, or how far it is; a pod that fails is the cause even while others are tried. */
export function jobVerdict(job: Job, view: ClusterView): Verdict {
  const { spec, status, metadata } = job
  const done = progressOf(job)
  if (isConditionTrue(status?.conditions, "Complete")) return healthy(`completed, ${done}`)
  const failed = findCondition(status?.conditions, "Failed")
  if (failed?.status === "True") return failedJob(`failed (${failed.reason}: ${failed.message})`, job, view)
  if (spec?.suspend) return suspended(`suspended, ${done}`, unsuspend("job", metadata.name))
  return runningJob(job, view)
}

/** "1 of 3 pods succeeded" */
function progressOf({ spec, status }: Job): string {
  return `${status?.succeeded ?? 0}${spec?.completions ? ` of ${spec.completions}` : ""} pods succeeded`
}

function runningJob(job: Job, view: ClusterView): Verdict {
  const { failed = 0 } = job.status ?? {}
  const found = view.podsOf(job)
  const refused = found.length === 0 ? view.warning(job, "FailedCreate")?.message : undefined
  if (refused === undefined && commonTrouble(found, view)?.health !== "degraded") return progressing(`running, ${progressOf(job)}`)
  return withCause(`not complete, ${progressOf(job)}${failed === 0 ? "" : ` and ${failed} failed`}`, { refused, found, view })
}

function failedJob(state: string, job: Job, view: ClusterView): Verdict {
  const trouble = commonTrouble(view.podsOf(job), view)
  return trouble === undefined ? degraded(state) : { ...trouble, health: "degraded", summary: `${state}: ${trouble.summary}` }
}

function unsuspend(kind: string, name = ""): string {
  return `"kubectl patch ${kind} ${name} -p '${JSON.stringify({ spec: { suspend: false } })}'" lets it run`
}

/** The verdict on its last Job, where that is not well. */
export function cronJobVerdict({ spec, status, metadata }: CronJob, view: ClusterView): Verdict {
  if (spec?.suspend) return suspended("suspended", unsuspend("cronjob", metadata.name))
  const own = view.list(jobs).filter((job) => job.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid))
  const last = own.toSorted((a, b) => ((a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1)).at(-1)
  if (last !== undefined) {
    const verdict = jobVerdict(last, view)
    if (verdict.health === "degraded") return { ...verdict, summary: `its last Job ${last.metadata.name} is not well: ${verdict.summary}` }
  }
  return healthy(status?.lastScheduleTime ? `its last Job was due at ${status.lastScheduleTime}` : "no Job was due yet")
}

/** A controller that has not seen the last change may report what is over. */
function notObserved({
  metadata,
  status,
}: KubeObject & { readonly status?: { readonly observedGeneration?: number | bigint } }): Verdict | undefined {
  if (metadata.generation === undefined || compareInt64(status?.observedGeneration ?? 0, metadata.generation) >= 0) return undefined
  return progressing("its controller has not reported on the last change yet")
}

function conditionMessage(object: KubeObject, type: string, status: string): string | undefined {
  const { conditions } = (object as { readonly status?: { readonly conditions?: Parameters<typeof findCondition>[0] } }).status ?? {}
  const found = findCondition(conditions, type)
  return found?.status === status ? found.message : undefined
}

interface CauseParts {
  /** Why pods cannot be created, where they cannot. */
  readonly refused: string | undefined
  readonly found: readonly Pod[]
  readonly view: ClusterView
  readonly isStuck?: boolean
}

/** A summary with its one cause: pods that are refused, else what most pods suffer from. */
function withCause(state: string, { refused, found, view, isStuck = false }: CauseParts): Verdict {
  const trouble = commonTrouble(found, view)
  if (trouble?.health === "degraded") return { ...trouble, summary: `${state}: ${trouble.summary}` }
  if (refused !== undefined) return degraded(`${state}: its pods are refused: ${refused}`)
  if (isStuck) return degraded(state)
  return progressing(trouble === undefined ? state : `${state}: ${trouble.summary}`)
}
