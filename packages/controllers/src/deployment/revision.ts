import { addInt64, compareInt64, type Int64 } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { PlannedEvent } from "@pilothouse/runtime"
import {
  type Annotations,
  historyAnnotation,
  objectAnnotations,
  revisionAnnotation,
  revisionNumber,
  rollbackAnnotation,
  rollbackRevision,
  sharedAnnotations,
  unsharedAnnotations,
} from "./annotations.ts"
import type { Edit } from "./edit.ts"
import { allReplicaSets, hasSameTemplate, oldestFirst, type ReplicaSets, specReplicas, withoutHash } from "./replica-sets.ts"

const keepsAll = 2 ** 31 - 1

/** Old ReplicaSets beyond revisionHistoryLimit, lowest revision first. Only those without pods, and whose emptiness their controller has confirmed. */
export function replicaSetsBeyondLimit({ spec }: Deployment, old: readonly ReplicaSet[]): readonly ReplicaSet[] {
  const limit = spec?.revisionHistoryLimit
  if (limit === undefined || limit === keepsAll) return []
  const alive = old.filter((set) => set.metadata.deletionTimestamp === undefined)
  return [...alive]
    .sort(lowestRevisionFirst)
    .slice(0, Math.max(0, alive.length - limit))
    .filter(isEmpty)
}

function isEmpty(set: ReplicaSet): boolean {
  const isObserved = (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0)
  return specReplicas(set) === 0 && (set.status?.replicas ?? 0) === 0 && isObserved
}

function lowestRevisionFirst(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [revisionNumber(a), revisionNumber(b)]
  return first === undefined || second === undefined || first === second ? oldestFirst(a, b) : compareInt64(first, second)
}

/** Annotations have a limit of 256 KiB together; a Deployment that goes back and forth daily must never reach it. */
const maxHistory = 2000

export function nextRevision(old: readonly ReplicaSet[]): Int64 {
  return addInt64(
    old.map((set) => revisionNumber(set) ?? 0).reduce((max, one) => (one > max ? one : max), 0),
    1,
  )
}

/** The second highest revision; 0 when there is none. */
export function lastRevision(sets: readonly ReplicaSet[]): Int64 {
  const [, second = 0] = sets.map((set) => revisionNumber(set) ?? 0).sort((a, b) => compareInt64(b, a))
  return second
}

/**
 * Keeps the current ReplicaSet in step with its Deployment: annotations, minReadySeconds, and the highest revision.
 * Undefined when it is.
 */
export function alignWithDeployment(deployment: Deployment, { current, old }: ReplicaSets): Edit | undefined {
  if (current === undefined) return undefined
  const annotations = changedAnnotations(deployment, current, nextRevision(old))
  const seconds = deployment.spec?.minReadySeconds ?? 0
  const waitDiffers = (current.spec?.minReadySeconds ?? 0) !== seconds
  if (annotations === undefined && !waitDiffers) return undefined
  const what = [annotations && `annotations ${Object.keys(annotations).join(", ")}`, waitDiffers && `minReadySeconds ${seconds}`]
  const reason = `it follows its Deployment: ${what.filter(Boolean).join(" and ")}`
  return { set: current, annotations, ...(waitDiffers && { minReadySeconds: seconds }), reason }
}

function changedAnnotations(deployment: Deployment, current: ReplicaSet, revision: Int64): Annotations | undefined {
  const known = objectAnnotations(current)
  const own = revisionNumber(current)
  // The annotation is not a number: what follows from it is unknown, so nothing is changed.
  if (own === undefined) return undefined
  const shared = Object.entries(sharedAnnotations(deployment)).filter(([key, value]) => known[key] !== value)
  const risen = own < revision ? { [revisionAnnotation]: String(revision), ...history(known) } : {}
  const changed = { ...Object.fromEntries(shared), ...risen }
  return Object.keys(changed).length === 0 ? undefined : changed
}

/** A ReplicaSet that becomes current again keeps the revisions it had, the oldest of them forgotten when there are too many. */
function history(known: Annotations): Annotations {
  const last = known[revisionAnnotation]
  if (last === undefined) return {}
  const revisions = [...(known[historyAnnotation] ?? "").split(",").filter(Boolean), last]
  while (revisions.length > 1 && revisions.join(",").length > maxHistory) revisions.shift()
  return { [historyAnnotation]: revisions.join(",") }
}

/** The rollback that an old `kubectl rollout undo` requested. The request is removed in any case. */
export interface Rollback {
  readonly deployment: Deployment
  readonly event: Omit<PlannedEvent, "about">
}

/**
 * Returns the Deployment with the template of the revision that it asks to roll back to, and the event; undefined without such a request.
 */
export function rollback(deployment: Deployment, sets: ReplicaSets): Rollback | undefined {
  const requested = rollbackRevision(deployment)
  if (requested === undefined) return undefined
  const { name } = deployment.metadata
  const revision = requested === 0 ? lastRevision(allReplicaSets(sets)) : requested
  const target = revision === 0 ? undefined : allReplicaSets(sets).find((set) => revisionNumber(set) === revision)
  if (target === undefined) {
    const message = revision === 0 ? "Unable to find last revision." : "Unable to find the revision to rollback to."
    return {
      deployment: withoutRollbackRequest(deployment),
      event: { type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message },
    }
  }
  if (hasSameTemplate(target, deployment)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`
    return {
      deployment: withoutRollbackRequest(deployment),
      event: { type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message },
    }
  }
  const message = `Rolled back deployment "${name}" to revision ${revision}`
  const annotations = { ...unsharedAnnotations(deployment), ...sharedAnnotations(target) }
  const template = withoutHash(target.spec?.template)!
  const back = { ...deployment, metadata: { ...deployment.metadata, annotations }, spec: { ...deployment.spec!, template } }
  return { deployment: withoutRollbackRequest(back), event: { type: "Normal", reason: "DeploymentRollback", message } }
}

function withoutRollbackRequest(deployment: Deployment): Deployment {
  const { [rollbackAnnotation]: _request, ...annotations } = deployment.metadata.annotations ?? {}
  return { ...deployment, metadata: { ...deployment.metadata, annotations } }
}
